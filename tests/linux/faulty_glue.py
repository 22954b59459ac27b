# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The programs of the kernel with faults: copies of their sources in which texts are replaced, compiled into one
object.

The horizon of a run chooses its fault: its last two digits in us, 0 for none. So all faults need one object and one
boot. Each text stands in the sources exactly once.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import build
from places import ROOT

FOLDER = ROOT / "build" / "linux"
SOURCES = ("takt.bpf.c", "decisions.h", "events.h", "publish.h", "memory.h")
MACROS = """
#define HAS_FAULT(shared, number) ((u32)(((shared)->end_ns - (shared)->epoch_ns) / 1000 % 100) == (number))
static u64 takt_count;
/* True for one of `all` calls. */
static inline __attribute__((always_inline)) bool is_one_of(u64 all) { return ++takt_count % all == 0; }
"""


class Fault(NamedTuple):
    """A fault.

    Args:
        file: whose text is replaced.
        text: what stands there.
        faulty: what stands there instead; NUMBER is the fault's.
        finding: what finds it, a regular expression.
    """

    file: str
    text: str
    faulty: str
    finding: str


FAULTS = {
    "one in nine sleeps is not noted": Fault(
        "takt.bpf.c",
        "} else if (binding && flags & SCX_DEQ_SLEEP) {",
        "} else if (binding && flags & SCX_DEQ_SLEEP && shared_at(binding) && HAS_FAULT(shared_at(binding), NUMBER) &&"
        " is_one_of(9)) {\n    } else if (binding && flags & SCX_DEQ_SLEEP) {",
        "had the processor for .*, but .* were charged",
    ),
    "a wake is handled 150 us late": Fault(
        "takt.bpf.c",
        "    if (is_asked) {\n        next = ask(",
        "    if (HAS_FAULT(shared, NUMBER) && binding & ASLEEP) {\n"
        "        is_asked = false;\n        next = TAKT_SHARED_NONE;\n        arm_at(shared, cpu, now_ns + 150000);\n"
        "    } else if (is_asked) {\n        next = ask(",
        "the scheduler was due at .*, but was called 0.1",
    ),
    "a decision is taken before its thread runs": Fault(
        "takt.bpf.c",
        "ask(shared, cpu, ASKED_ATTEND | ASKED_ENTER, (u32)binding, now_ns);",
        "ask(shared, cpu, ASKED_ATTEND | ASKED_ENTER | (HAS_FAULT(shared, NUMBER) ?"
        " ASKED_TAKE : 0), (u32)binding, now_ns);",
        "were charged|was selected at .*, but fast ran from",
    ),
    "each call takes a decision": Fault(
        "decisions.h",
        "if (shared->selected & OUTDATED) {",
        "if (shared->selected & OUTDATED || HAS_FAULT(shared, NUMBER)) {",
        "was decided again at .*, though nothing had happened",
    ),
    "a completion is posted for a neighbour": Fault(
        "events.h",
        "u64 receipt = post(shared, entity, kind",
        "u64 receipt = post(shared, HAS_FAULT(shared, NUMBER) && kind == TAKT_SLOT_COMPLETE && is_one_of(5) ?"
        " entity + 1 : entity, kind",
        "completed at|was selected",
    ),
    "a selection is kept after an event": Fault(
        "events.h",
        "ticks(shared, now_ns));\n    shared->is_selected = 0;",
        "ticks(shared, now_ns));\n    shared->is_selected &= HAS_FAULT(shared, NUMBER);",
        "was selected at .*, but was decided",
    ),
    "should_yield is never published": Fault(
        "publish.h",
        "if (!shared->has_points || shared->running == TAKT_SHARED_NONE) {",
        "if (!shared->has_points || shared->running == TAKT_SHARED_NONE || HAS_FAULT(shared, NUMBER)) {",
        "was to yield from .*, but reached no point",
    ),
    "timers are 3 ms late": Fault(
        "publish.h",
        "sleeper->state == MEMBER_ASLEEP ? next + BACKSTOP_NS : next;",
        "sleeper->state == MEMBER_ASLEEP ? next + BACKSTOP_NS : next &&"
        " HAS_FAULT(shared, NUMBER) ? next + 3000000 : next;",
        "the scheduler was due at .*, but was called",
    ),
    "stolen time is charged": Fault(
        "decisions.h",
        "commit(shared, ticks(shared, shared->stopped_ns), ticks(shared, now_ns));",
        "commit(shared, ticks(shared, HAS_FAULT(shared, NUMBER) ? now_ns :"
        " shared->stopped_ns), ticks(shared, now_ns));",
        "had the processor for .*, but .* were charged",
    ),
    "a more urgent thread does not preempt": Fault(
        "takt.bpf.c",
        "SCX_SLICE_INF, flags | SCX_ENQ_PREEMPT | SCX_ENQ_HEAD);",
        "SCX_SLICE_INF, HAS_FAULT(shared, NUMBER) ? flags : flags | SCX_ENQ_PREEMPT | SCX_ENQ_HEAD);",
        "was selected at .*, but was decided",
    ),
    "idling is not decided": Fault(
        "takt.bpf.c",
        "if (next == TAKT_SHARED_NONE) {\n        ask(shared, cpu, ASKED_TAKE | ASKED_ARM, next, now_ns);",
        "if (next == TAKT_SHARED_NONE) {\n        ask(shared, cpu, (HAS_FAULT(shared,"
        " NUMBER) ? 0 : ASKED_TAKE) | ASKED_ARM,"
        " next, now_ns);",
        "no job was selected at .*, but was decided",
    ),
    "a thread is told a release that is 2 ms late": Fault(
        "publish.h",
        "slot->next_release_ns = instant(shared, report->next_release);",
        "slot->next_release_ns = instant(shared, report->next_release) + (HAS_FAULT(shared, NUMBER) ? 2000000 : 0);",
        "was selected at .*, but fast ran from",
    ),
    "the domain does not follow": Fault(
        "takt.bpf.c",
        "follow(shared, cpu, shared->ahead_ns);",
        "if (HAS_FAULT(shared, NUMBER)) {\n            shared->ahead_ns = 0;\n"
        "            shared->decided = TAKT_SHARED_NONE;\n            return 0;\n        }\n"
        "        follow(shared, cpu, shared->ahead_ns);",
        "events of threads were refused",
    ),
    "the domain follows as of now": Fault(
        "decisions.h",
        "u64 since_ns = shared->ahead_ns, at_ns = since_ns ? since_ns : now_ns;",
        "u64 since_ns = shared->ahead_ns, at_ns = since_ns && !HAS_FAULT(shared, NUMBER) ? since_ns : now_ns;",
        "the scheduler was due at .*, but was called",
    ),
    "what is foreseen comes 2 ms late": Fault(
        "publish.h",
        "slot->next_release_ns = shared->next_release_ns;",
        "slot->next_release_ns = shared->next_release_ns + (HAS_FAULT(shared, NUMBER) ? 2000000 : 0);",
        "was selected at .*, but fast ran from",
    ),
    "the domain decides otherwise than was foreseen": Fault(
        "publish.h",
        "shared->foreseen = foresight->entity;",
        "shared->foreseen = foresight->entity;\n    if (HAS_FAULT(shared, NUMBER) && is_one_of(3)) {\n"
        "        foresight_of(cpu)->deadline++;\n    }",
        "decided otherwise than was foreseen",
    ),
    "another thread is switched to first": Fault(
        "takt.bpf.c",
        "} else if (scx_bpf_dsq_move_to_local(queue_of(cpu, next))) {",
        "} else if ((HAS_FAULT(shared, NUMBER) && is_one_of(5) && next + 1 < shared->entities &&"
        " scx_bpf_dsq_move_to_local(queue_of(cpu, next + 1))) || scx_bpf_dsq_move_to_local(queue_of(cpu, next))) {",
        "had the processor from .*, but was not selected then",
    ),
}
NUMBERS = {name: number for number, name in enumerate(FAULTS, start=1)}


def write_sources(folder: Path) -> None:
    """Write the sources with all faults.

    Raises:
        AssertionError: a text does not stand there exactly once; the fault has to follow the source.
    """
    bpf = folder / "linux" / "bpf"
    bpf.mkdir(parents=True)
    texts = {name: (ROOT / "linux" / "bpf" / name).read_text(encoding="utf-8") for name in SOURCES}
    for name, fault in FAULTS.items():
        assert texts[fault.file].count(fault.text) == 1, name
        faulty = fault.faulty.replace("NUMBER", str(NUMBERS[name]))
        texts[fault.file] = texts[fault.file].replace(fault.text, faulty)
    texts["memory.h"] = texts["memory.h"].replace("\n#endif\n", f"{MACROS}\n#endif\n")
    for name, text in texts.items():
        (bpf / name).write_text(text, encoding="utf-8")


def build_products(products: Path, folder: Path) -> dict[str, Path]:
    """Build the programs with faults, and return their paths.

    Args:
        products: those without, and what they were made of.
        folder: for the others.

    Returns:
        The files that run task sets, by name.
    """
    write_sources(folder / "sources")
    target, work = folder / "takt.bpf.o", folder / "work"
    work.mkdir()
    build.compile_programs(FOLDER, folder / "programs.ll", folder / "sources")
    build.link_programs(work, folder / "programs.ll", products / "work" / "whole" / "described.ll", target, set())
    build.link_runner(FOLDER, products, folder / "takt-linux")
    shutil.copy(products / "tables.bin", folder / "tables.bin")
    return {name: folder / name for name in ("takt.bpf.o", "tables.bin", "takt-linux")}
