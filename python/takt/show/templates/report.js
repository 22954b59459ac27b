// What the page does: fills the charts with what their view can show, moves the view, sorts the tables.
// A chart's whole run is in the sources "segments-N", "jobs-N", "budgets-N" and so on (charts.py), ordered by lane
// and time; "shown-...-N" is what is drawn. What is drawn depends on the size of a pixel: pieces that are less than a
// pixel apart are one, paler the less of it is busy, a lane whose arrows would touch shows only its misses, and the
// curve of a budget keeps the least and the largest of what falls on a pixel.
const takt = (() => {
  const IS_NARROW = "(max-width: 640px)"
  const WIDE = {lane_pixels: 40, marks: 7, top: -0.38, part: 1}
  const NARROW = {lane_pixels: 58, marks: 4, top: -0.22, part: 0.35}
  const AXIS_PIXELS = 34
  const ARROW_PIXELS = 8
  const BLOCK_PIXELS = 8
  const MISS_PIXELS = 5
  const DEADLOCK_PIXELS = 80
  const LETTER_PIXELS = 6.2
  const CPU_PIXELS = 16
  const BASE = 0.36, MIDDLE = 0.09, SECTIONS = 0.48
  const HELD = {layer: "holds", what: "holds", ink: "#ffffff", paper: "#3d4852"}
  const BLOCKED = {layer: "blocked", what: "waits", ink: "#3d4852", paper: "#ffffff"}
  const SOURCES = {
    segments: "lane", jobs: "lane", points: "lane", sections: "lane", budgets: "group", idle: "group", deadlocks: null,
  }
  const LAYERS = [
    "idle", "curves", "waits", "pieces", "cpu-names", "late", "releases", "deadlines", "misses", "points", "holds",
    "blocked", "section-names", "deadlock-lines", "deadlocks",
  ]
  const UNITS = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]]
  let form = WIDE
  let view = null
  let first = null
  let visited = null
  let overview = null
  let charts = []
  let is_waiting = false

  // ---- start ----

  function ready() {
    const root = Bokeh.documents[0]
    view = root.get_model_by_name("view")
    for (let number = 0; root.get_model_by_name(`gantt-${number}`) != null; number++) {
      charts.push(make_chart(root, number))
    }
    const narrow = window.matchMedia(IS_NARROW)
    narrow.addEventListener("change", () => arrange(narrow.matches))
    overview = root.get_model_by_name("overview")
    arrange(narrow.matches)
    for (const figure of root.roots()) leave_scrolling_to_the_page(figure)
    first = {start: view.start, end: view.start + (view.end - view.start) * form.part}
    move(first.start, first.end)
    for (const button of document.querySelectorAll("button[data-do]")) {
      button.addEventListener("click", ACTIONS[button.dataset.do])
    }
    for (const header of document.querySelectorAll("th")) {
      header.addEventListener("click", () => sort(header))
      header.addEventListener("keydown", (event) => { if (event.key == "Enter") sort(header) })
    }
    refresh()
  }

  function make_chart(root, number) {
    const source = (name) => root.get_model_by_name(`${name}-${number}`)
    const figure = source("gantt")
    const facts = figure.tags[0]
    const count = {lane: facts.lanes.length, group: facts.groups.length}
    const data = {}, rows = {}
    for (const [name, order] of Object.entries(SOURCES)) {
      data[name] = source(name).data
      if (order != null) rows[name] = lane_starts(data[name][order], count[order])
    }
    return {...facts, figure, data, rows, shown: (name) => source(`shown-${name}`), loaded: null}
  }

  // Where the rows of each lane, or each server, begin, and where the last one's end.
  function lane_starts(lane_of_row, count) {
    const starts = new Array(count + 1).fill(lane_of_row.length)
    for (let row = lane_of_row.length - 1; row >= 0; row--) starts[lane_of_row[row]] = row
    for (let lane = count - 1; lane >= 0; lane--) starts[lane] = Math.min(starts[lane], starts[lane + 1])
    return starts
  }

  // On a narrow screen names stand above the lanes instead of beside them.
  function arrange(is_narrow) {
    form = is_narrow ? NARROW : WIDE
    overview.below[0].ticker.desired_num_ticks = form.marks
    for (const chart of charts) {
      const {figure, height} = chart
      figure.left[0].visible = !is_narrow
      figure.center.find((part) => part.name == "narrow").visible = is_narrow
      figure.below[0].ticker.desired_num_ticks = form.marks
      figure.height = Math.round(height * form.lane_pixels) + AXIS_PIXELS
      chart.loaded = null
    }
    changed()
  }

  // A finger that moves up or down over a chart scrolls the page, which a chart has no use for.
  function leave_scrolling_to_the_page(figure) {
    Bokeh.index.find_one_by_id(figure.id).canvas_view.events_el.style.touchAction = "pan-y"
  }

  // ---- what is drawn ----

  function changed() {
    if (is_waiting) return
    is_waiting = true
    requestAnimationFrame(() => { is_waiting = false; refresh() })
  }

  function refresh() {
    if (view == null) return
    for (const chart of charts) {
      if (!is_loaded(chart)) load(chart)
    }
    document.getElementById("span").textContent = describe_view()
  }

  // The view without the margins before 0 and behind the end, rounded to a hundredth of it or finer.
  function describe_view() {
    const {nanoseconds} = charts[0].figure.tags[0]
    const step = 10 ** Math.floor(Math.log10((view.end - view.start) / 100))
    const last = view.bounds[1] + view.bounds[0]
    const ends = [Math.max(0, view.start), Math.min(view.end, last)].map((end) => Math.round(end / step) * step)
    return ends.map((end) => write(end, [0, 10 * step], nanoseconds)).join(" \u2013 ")
  }

  function pixel_of(chart) {
    return (view.end - view.start) / Math.max(chart.figure.inner_width ?? 0, 200)
  }

  function is_loaded({loaded, ...chart}) {
    const zoom = loaded == null ? 0 : pixel_of(chart) / loaded.pixel
    return zoom > 0.8 && zoom < 1.25 && loaded.from <= view.start && view.end <= loaded.to
  }

  function load(chart) {
    const margin = (view.end - view.start) / 2
    const frame = {from: view.start - margin, to: view.end + margin, pixel: pixel_of(chart)}
    const layers = {}
    const put = (name, row) => (layers[name] ??= []).push(row)
    chart.lanes.forEach((lane, number) => {
      load_pieces(chart, lane, number, frame, put)
      load_arrows(chart, lane, number, frame, put)
      load_points(chart, lane, number, frame, put)
      load_sections(chart, lane, number, frame, put)
    })
    chart.groups.forEach((group, number) => {
      load_idle(chart, group, number, frame, put)
      load_curve(chart, group, number, frame, put)
    })
    load_deadlocks(chart, frame, put)
    for (const name of LAYERS) {
      const source = chart.shown(name)
      const columns = Object.keys(source.data)
      const rows = layers[name] ?? []
      source.data = Object.fromEntries(columns.map((column) => [column, rows.map((row) => row[column])]))
    }
    chart.loaded = frame
  }

  // The first row of a lane, from `low` up to `high`, whose instant is after `time`; instants ascend.
  function first_after(instants, low, high, time) {
    while (low < high) {
      const middle = (low + high) >> 1
      if (instants[middle] > time) high = middle
      else low = middle + 1
    }
    return low
  }

  function load_pieces({data: {segments, jobs}, rows, cpus}, lane, number, {from, to, pixel}, put) {
    const low = first_after(segments.end, rows.segments[number], rows.segments[number + 1], from)
    const high = first_after(segments.start, low, rows.segments[number + 1], to)
    const y = lane.y + MIDDLE
    let piece = null, late = null
    for (let i = low; i < high; i++) {
      const row = segments.row[i], left = segments.start[i], right = segments.end[i]
      if (piece != null && left - piece.right < pixel && right - piece.left < BLOCK_PIXELS * pixel) {
        extend(piece, segments.job[i], segments.cpu[i], left, right)
      } else {
        const facts = {...described(lane, jobs, row), start: left, end: right}
        piece = {...facts, left, right, y, color: lane.color, alpha: 1, edge: 0.8, busy: right - left}
        piece.cpu = String(segments.cpu[i])
        put("pieces", piece)
      }
      if (cpus > 1 && right - left > CPU_PIXELS * pixel) {
        put("cpu-names", {x: (left + right) / 2, y, label: String(segments.cpu[i])})
      }
      if (right <= jobs.deadline[row]) continue
      const since = Math.max(left, jobs.deadline[row])
      if (late != null && since - late.right < pixel) late.right = right
      else put("late", late = {left: since, right, y})
    }
    // The piece after the view belongs to a wait that may reach into it.
    for (let i = low; i < Math.min(high + 1, rows.segments[number + 1]); i++) {
      const x0 = segments.resumed[i], x1 = segments.start[i]
      if (x1 - x0 > 2 * pixel) put("waits", {x0, x1, y, color: lane.color})
    }
  }

  function extend(piece, job, cpu, left, right) {
    if (piece.cpu != cpu) piece.cpu = "several"
    piece.right = piece.end = right
    piece.busy += right - left
    piece.edge = 0
    piece.alpha = 0.25 + 0.75 * piece.busy / (right - piece.left)
    if (String(job) == piece.job) return
    piece.job = `${piece.job.split("\u2013")[0]}\u2013${job}`
    piece.release = piece.response = piece.deadline = NaN
  }

  function described(lane, jobs, row) {
    const {release, deadline, response} = jobs
    return {
      task: lane.task, job: String(jobs.job[row]), start: NaN, end: NaN,
      release: release[row], deadline: deadline[row], response: response[row],
    }
  }

  function load_arrows({data: {jobs}, rows}, lane, number, {from, to, pixel}, put) {
    const [begin, end] = [rows.jobs[number], rows.jobs[number + 1]]
    const stem = {top: lane.y + form.top, bottom: lane.y + BASE}
    const low = first_after(jobs.deadline, begin, end, from), high = first_after(jobs.release, begin, end, to)
    const has_room = (to - from) / pixel > ARROW_PIXELS * (high - low)
    let missed = -Infinity
    for (let i = low; i < high; i++) {
      const facts = {...stem, ...described(lane, jobs, i)}
      if (has_room) put("releases", {...facts, x: jobs.release[i]})
      if (has_room && !jobs.missed[i]) put("deadlines", {...facts, x: jobs.deadline[i]})
      if (!jobs.missed[i] || jobs.deadline[i] - missed < MISS_PIXELS * pixel) continue
      missed = jobs.deadline[i]
      put("misses", {...facts, x: missed})
    }
  }

  function load_points({data: {points}, rows}, lane, number, {from, to, pixel}, put) {
    const low = first_after(points.instant, rows.points[number], rows.points[number + 1], from)
    const high = first_after(points.instant, low, rows.points[number + 1], to)
    if ((to - from) / pixel < ARROW_PIXELS * (high - low)) return
    for (let i = low; i < high; i++) {
      const fill = points.should_yield[i] ? "#3d4852" : "#ffffff"
      put("points", {x: points.instant[i], y: lane.y + MIDDLE, size: points.optional[i] ? 7 : 11, fill})
    }
  }

  // ---- resources ----

  function load_sections({data: {sections}, rows, names, section_height}, lane, number, {from, to, pixel}, put) {
    const last = {}
    const high = first_after(sections.start, rows.sections[number], rows.sections[number + 1], to)
    for (let i = rows.sections[number]; i < high; i++) {
      const left = sections.start[i], right = sections.end[i], depth = sections.depth[i], waits = sections.waits[i]
      if (right < from) continue
      const kind = waits ? BLOCKED : HELD
      const before = last[[depth, waits]]
      if (before != null && left - before.right < pixel && right - before.left < BLOCK_PIXELS * pixel) {
        join(before, described_section(sections, i, lane, names))
        continue
      }
      const y = lane.y + SECTIONS + (depth + 0.5) * section_height
      const section = described_section(sections, i, lane, names)
      put(kind.layer, last[[depth, waits]] = {
        ...section, what: kind.what, left, right, y, alpha: 1, busy: right - left,
      })
      const has_room = (right - left) / pixel > 8 + LETTER_PIXELS * section.resource.length
      if (has_room) put("section-names", {x: left, y, label: section.resource, ink: kind.ink, paper: kind.paper})
    }
  }

  function described_section(sections, i, lane, names) {
    const holder = sections.holder[i]
    return {
      task: lane.task, job: String(sections.job[i]), resource: names[sections.resource[i]],
      start: sections.start[i], end: sections.end[i],
      holder: holder < 0 ? "no job; ceilings of other resources forbid the lock" : `${names[holder]}, job ${sections.holder_job[i]}`,
    }
  }

  // Draws as one what is of one kind and less than a pixel apart.
  function join(block, {job, resource, holder, start, end}) {
    block.busy += end - start
    block.right = block.end = end
    block.alpha = 0.25 + 0.75 * block.busy / (end - block.left)
    block.job = `${block.job.split("\u2013")[0]}\u2013${job}`
    if (block.resource != resource) block.resource = "several"
    if (block.holder != holder) block.holder = "several"
  }

  // A line through all lanes for each instant, those that would touch being drawn as one, and a mark for each job.
  function load_deadlocks({data: {deadlocks: {instant, lane}}, lanes, height}, {from, to, pixel}, put) {
    let x = -Infinity
    for (let i = first_after(instant, 0, instant.length, from); i < instant.length && instant[i] <= to; i++) {
      if (instant[i] != x && instant[i] - x < MISS_PIXELS * pixel) continue
      if (instant[i] != x) put("deadlock-lines", {x: instant[i], top: 0, bottom: height})
      x = instant[i]
      const next = first_after(instant, i, instant.length, x)
      const has_room = !(instant[next] - x < DEADLOCK_PIXELS * pixel)
      if (lane[i] >= 0) put("deadlocks", {x, y: lanes[lane[i]].y + MIDDLE, label: has_room ? "deadlock" : ""})
    }
  }

  // ---- servers ----

  function load_idle({data: {idle}, rows}, {top, bottom}, number, {from, to, pixel}, put) {
    const low = first_after(idle.end, rows.idle[number], rows.idle[number + 1], from)
    const high = first_after(idle.start, low, rows.idle[number + 1], to)
    let piece = null
    for (let i = low; i < high; i++) {
      const left = idle.start[i], right = idle.end[i]
      if (piece == null || left - piece.right >= pixel || right - piece.left >= BLOCK_PIXELS * pixel) {
        put("idle", piece = {left, right, top, bottom, alpha: 1, busy: right - left})
        continue
      }
      piece.right = right
      piece.busy += right - left
      piece.alpha = 0.25 + 0.75 * piece.busy / (right - piece.left)
    }
  }

  // From row to row a budget falls with slope 1 while it is charged, and else stays.
  function load_curve({data: {budgets}, rows, until}, {top, bottom, budget}, number, frame, put) {
    const {tick, budget: left, is_charged} = budgets
    const end = rows.budgets[number + 1]
    const from = Math.max(frame.from, 0), to = Math.min(frame.to, until)
    const height = (rest) => bottom - (bottom - top) * rest / budget
    const points = curve(from, frame.pixel)
    let low = Math.max(first_after(tick, rows.budgets[number], end, from) - 1, rows.budgets[number])
    for (let i = low; i < end && tick[i] < to; i++) {
      const begin = Math.max(tick[i], from), finish = Math.min(i + 1 < end ? tick[i + 1] : until, to)
      points.add(begin, height(left[i] - is_charged[i] * (begin - tick[i])))
      points.add(finish, height(left[i] - is_charged[i] * (finish - tick[i])))
    }
    const {xs, ys} = points.done()
    if (xs.length > 0) put("curves", {xs: [xs[0], ...xs, xs.at(-1)], ys: [bottom, ...ys, bottom]})
  }

  // Collects points from left to right; of those on one pixel it keeps the first, the least, the largest and the last.
  function curve(from, pixel) {
    const xs = [], ys = []
    let cell = null, least = 0, most = 0, last = 0, x = 0
    function keep(place, height) {
      if (xs.at(-1) == place && ys.at(-1) == height) return
      xs.push(place)
      ys.push(height)
    }
    function flush() {
      if (cell != null) [least, most, last].forEach((height) => keep(x, height))
    }
    function add(place, height) {
      const here = Math.floor((place - from) / pixel)
      if (here != cell) {
        flush()
        keep(place, height)
        cell = here
        least = most = height
      }
      least = Math.min(least, height)
      most = Math.max(most, height)
      last = height
      x = place
    }
    return {add, done: () => { flush(); return {xs, ys} }}
  }

  // ---- the view ----

  function move(start, end) {
    const [least, most] = view.bounds
    const length = Math.min(Math.max(end - start, view.min_interval), most - least)
    const middle = (start + end) / 2
    const left = Math.min(Math.max(middle - length / 2, least), most - length)
    view.setv({start: left, end: left + length})
  }

  function zoom(factor) {
    const middle = (view.start + view.end) / 2, half = (view.end - view.start) / 2 * factor
    move(middle - half, middle + half)
  }

  function go_to_next_miss() {
    const instants = charts.flatMap(({data: {jobs}}) => Array.from(jobs.deadline).filter((_, i) => jobs.missed[i]))
    go_to_next(instants, (instant) => {
      const names = jobs_that_missed(instant).join(", ")
      return `missed at ${write(instant, [], scale())}: ${names} (${place_of_misses(instants, instant)})`
    })
  }

  // Which of all late jobs of the runs are due at an instant, in the order in which jobs are due; and how many of them the
  // charts have, if these end before the runs or leave tasks out.
  function place_of_misses(instants, instant) {
    const before = instants.filter((x) => x < instant).length, here = instants.filter((x) => x == instant).length
    const all = charts.reduce((sum, {figure}) => sum + figure.tags[0].missed, 0)
    const which = here > 1 ? `${before + 1} to ${before + here}` : `${before + 1}`
    return `${which} of ${all} miss${all > 1 ? "es" : ""}${instants.length < all ? `, ${instants.length} in the charts` : ""}`
  }

  function go_to_next_deadlock() {
    const instants = charts.flatMap(({data: {deadlocks}}) => Array.from(deadlocks.instant))
    const different = [...new Set(instants)].sort((a, b) => a - b)
    go_to_next(instants, (instant) => {
      return `deadlock at ${write(instant, [], scale())} (${different.indexOf(instant) + 1} of ${different.length})`
    })
  }

  // Nanoseconds of what a number on the time axis counts.
  function scale() {
    return charts[0].figure.tags[0].nanoseconds
  }

  function jobs_that_missed(instant) {
    const names = charts.flatMap(({data: {jobs}, rows, lanes}) => lanes.flatMap((lane, number) => {
      const numbers = []
      for (let i = rows.jobs[number]; i < rows.jobs[number + 1]; i++) {
        if (jobs.missed[i] && jobs.deadline[i] == instant) numbers.push(`${lane.task} job ${jobs.job[i]}`)
      }
      return numbers
    }))
    return [...new Set(names)]
  }

  // The instant after the one that was gone to last, or, if the view has moved since, the first one in it or behind it;
  // after the last one the first of all. The instant is marked and named, because a view at an end of the run, or of all
  // of it, cannot move there; one of all becomes a quarter, which can.
  function go_to_next(instants, name_of) {
    const since = visited?.start == view.start && visited.end == view.end ? visited.instant : view.start
    const first_since = (time) => instants.reduce((best, x) => x > time && x < best ? x : best, Infinity)
    const next = first_since(since)
    const instant = Number.isFinite(next) ? next : first_since(-Infinity)
    if (!Number.isFinite(instant)) return
    const [least, most] = view.bounds
    const half = Math.min(view.end - view.start, first.end - first.start, (most - least) / 4) / 2
    move(instant - half, instant + half)
    visited = {instant, start: view.start, end: view.end}
    mark(instant)
    document.getElementById("found").textContent = name_of(instant)
  }

  function mark(instant) {
    for (const chart of charts) {
      chart.shown("found").data = {x: [instant], top: [0], bottom: [chart.height]}
    }
  }

  const ACTIONS = {
    in: () => zoom(0.5),
    out: () => zoom(2),
    all: () => move(...view.bounds),
    reset: () => move(first.start, first.end),
    miss: go_to_next_miss,
    deadlock: go_to_next_deadlock,
  }

  // ---- times ----

  // Writes one mark of an axis in the unit that suits the distance of its marks; `ns` is what a number counts.
  function write(tick, ticks, ns) {
    const distance = ticks.length > 1 ? (ticks[1] - ticks[0]) * ns : tick * ns
    const [unit, size] = UNITS.find(([, size]) => distance >= size / 10) ?? UNITS.at(-1)
    return tick == 0 ? "0" : `${+(tick * ns / size).toPrecision(9)} ${unit}`
  }

  // ---- tables ----

  function sort(header) {
    const column = header.cellIndex
    const is_descending = header.getAttribute("aria-sort") == "ascending"
    const body = header.closest("table").tBodies[0]
    const value = (row) => row.cells[column].dataset.sort
    const is_name = header.classList.contains("name")
    const compare = is_name ? (a, b) => value(a).localeCompare(value(b)) : (a, b) => value(a) - value(b)
    const rows = Array.from(body.rows).sort((a, b) => is_descending ? compare(b, a) : compare(a, b))
    for (const other of header.parentElement.cells) other.removeAttribute("aria-sort")
    header.setAttribute("aria-sort", is_descending ? "descending" : "ascending")
    body.append(...rows)
  }

  return {ready, changed, write}
})()
