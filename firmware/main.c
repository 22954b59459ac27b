/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Task sets as a program: threads that execute the jobs of a described system, and the trace of it as a file.
 *
 * The command line names two files: the image of a system (system/image.h) and the trace. Inputs and decisions of the
 * scheduler are recorded in memory and written at the end. The image has the inputs from outside and the changes, in
 * the order of time: an interrupt posts those that are due.
 *
 * At one instant a job's own event comes first, then inputs from outside, then due timers, then the decision, as in the
 * simulator.
 *
 * Exit status: 0 done; 1 the machine faulted; 2 the task set was refused; 4 the trace buffer was full before the
 * horizon (the file holds what came before, and says so); 5 a file could not be read or written; 7 the observer found
 * that the jobs do not do what a scheduler at a distance decided (the file is complete). Every status but 0 comes with
 * a line of text. */
#include "firmware/backends/observe.h"
#include "firmware/board.h"
#include "firmware/scheduler.h"
#include "firmware/semihost.h"
#include "kernel/kernel.h"
#include "system/build.h"
#include "system/check.h"
#include "system/work.h"

enum {
    EXIT_FAULT = 1,
    EXIT_REFUSED = 2,
    EXIT_FULL = 4,
    EXIT_FILE = 5,
    EXIT_OBSERVED = 7,
    STACK_BYTES = TAKT_STACK_BYTES_MIN + 192,
    LINE_BYTES = 256,
};

static __attribute__((noreturn)) void end(int status, const char *what, const char *detail) {
    takt_semihost_print("takt firmware: ");
    takt_semihost_print(what);
    takt_semihost_print(detail);
    takt_semihost_print("\n");
    takt_semihost_exit(status);
}

void takt_port_fault(void) { end(EXIT_FAULT, "the machine faulted", ""); }

void takt_firmware_refuse(const char *what, const char *detail) { end(EXIT_REFUSED, what, detail); }

static void require(takt_status_t status, const char *what) {
    if (status != TAKT_OK) {
        end(EXIT_REFUSED, what, takt_status_message(status));
    }
}

/* ---- the command line ----------------------------------------------------------------------------- */

static char line[LINE_BYTES];
static const char *image_file, *trace_file;

/* The last word of `line`, which ends there then. */
static const char *last_word(void) {
    uint32_t length = 0;
    while (line[length] != 0) {
        length++;
    }
    while (length > 0 && line[length - 1u] != ' ') {
        length--;
    }
    if (length > 0) {
        line[length - 1u] = 0;
    }
    return &line[length];
}

static void read_command_line(void) {
    if (!takt_semihost_command_line(line, sizeof line)) {
        end(EXIT_REFUSED, "expected two names of files on the command line", "");
    }
    trace_file = last_word();
    image_file = last_word();
}

/* ---- memory, taken from the front; the trace has the rest ------------------------------------------- */

static uint8_t *memory_next, *memory_end;

void *takt_firmware_allocate(uint64_t bytes) {
    const uint64_t rounded = (bytes + 15u) & ~UINT64_C(15);
    if ((uint64_t)(memory_end - memory_next) < rounded) {
        end(EXIT_REFUSED, "the task set does not fit into the board's memory", "");
    }
    uint64_t *memory = (uint64_t *)(void *)memory_next;
    memory_next += rounded;
    for (uint32_t word = 0; word < rounded / sizeof *memory; word++) {
        memory[word] = 0;
    }
    return memory;
}

/* ---- the description -------------------------------------------------------------------------------- */

static takt_program_t program;
static takt_system_t built;

static void require_image(takt_image_status_t status) {
    if (status != TAKT_IMAGE_OK) {
        end(EXIT_REFUSED, "", takt_image_message(status));
    }
}

/* Refuses an image that needs what a board does not do: draw numbers, or run on several processors. */
static void require_listed(void) {
    bool is_listed = program.spec.cpu_count == 0;
    for (uint32_t i = 0; i < program.rows[TAKT_TABLE_STREAMS]; i++) {
        is_listed &= program.streams[i].kind == TAKT_STREAM_LISTED;
    }
    if (!is_listed) {
        end(EXIT_REFUSED, "the image is one for a simulator", "");
    }
}

static void read_image(void) {
    size_t bytes;
    memory_next = takt_firmware_memory(&memory_end);
    if (!takt_semihost_load(image_file, memory_next, (size_t)(memory_end - memory_next), &bytes)) {
        end(EXIT_FILE, "cannot read ", image_file);
    }
    takt_image_t image = {.words = (const uint64_t *)(const void *)memory_next,
                          .count = bytes / sizeof(uint64_t)};
    uint64_t needed;
    takt_place_t place;
    memory_next += (bytes + 15u) & ~(size_t)15u;
    require_image(takt_image_size(&image, &needed));
    require_image(takt_image_read(&image, &program, takt_firmware_allocate(needed)));
    const takt_relation_t broken = takt_check(&program, &place);
    if (broken != TAKT_RELATIONS) {
        end(EXIT_REFUSED, "", takt_relation_message(broken));
    }
    require_listed();
    takt_firmware_prepare(program.is_real_time ? program.resolution_ns : 0u);
}

/* ---- trace ------------------------------------------------------------------------------------------ */

/* One object, so that a record costs one address. */
static struct {
    takt_record_t *next, *end;
    takt_instant_t horizon;
    takt_record_t *first;
} records;

/* A trace without a closing record means that the board stopped. Returns the number of records. */
static uint32_t close_trace(bool is_full) {
    const uint32_t count = (uint32_t)(records.next - records.first);
    *records.next++ =
        is_full ? takt_trace_overflow(takt_kernel_now(), count) : takt_trace_end(program.horizon, count);
    return count + 1u;
}

static void report_finding(const char *finding) { end(EXIT_OBSERVED, "", finding); }

static __attribute__((noreturn)) void finish(bool is_full) {
    const uint32_t count = close_trace(is_full);
    if (!takt_semihost_save(trace_file, records.first, count * sizeof *records.first)) {
        end(EXIT_FILE, "cannot write ", trace_file);
    }
    takt_firmware_judge(report_finding);
    if (is_full) {
        end(EXIT_FULL, "the trace buffer was full before the horizon: ", trace_file);
    }
    takt_semihost_exit(0);
}

static bool is_ending; /* a scheduler at a distance receives what is under way at the horizon */

/* A record at the horizon or behind it. At the horizon itself a job may still complete, but none begins. */
static bool is_after_the_end(const takt_record_t *record) {
    return record->now > program.horizon || (record->kind != TAKT_RECORD_COMPLETE && !is_ending);
}

static void keep(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    if (record->now >= records.horizon && is_after_the_end(record)) {
        finish(false);
    }
    if (records.next == records.end) {
        finish(true);
    }
    *records.next++ = *record;
}

static takt_trace_t trace = {.record = keep};

static void reserve_records(void) {
    records.first = takt_firmware_allocate(sizeof *records.first); /* the closing record always has room */
    records.next = records.first;
    records.end = records.first + (size_t)(memory_end - memory_next) / sizeof *records.first;
    records.horizon = program.horizon;
}

/* ---- jobs ------------------------------------------------------------------------------------------- */

typedef struct worker {
    takt_job_thread_t job;
    uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
} worker_t;

static worker_t *workers;

static uint32_t index_of(const worker_t *worker) { return (uint32_t)(worker - workers); }

/* The change whose parameters the current job of task `index` has; NULL: it has those of the task. */
static const takt_change_spec_t *change_of(uint32_t index) {
    const takt_task_extension_t *extension = built.tasks[index].extension;
    if (extension == NULL || extension->adopted == NULL) {
        return NULL;
    }
    return &program.spec.changes[extension->adopted - built.changes];
}

static takt_duration_t demand_of(uint32_t index) {
    const takt_change_spec_t *change = change_of(index);
    const takt_task_spec_t *task = &program.spec.tasks[index];
    const takt_stream_t *demands = change != NULL ? change->demands : task->demands;
    if (demands == NULL) {
        return change != NULL ? change->demand : task->demand;
    }
    return demands->values[built.tasks[index].job.number % demands->count];
}

static void burn(const takt_work_t *work) {
    if (work->left > 0) {
        takt_firmware_burn(work->left);
    }
}

static takt_resource_t *resource_of(const takt_item_t *item) { return &built.resources[item->ticks]; }

/* Unlocks of one instant are one event for the waiting jobs. */
static void unlock(takt_work_t *work, const takt_task_spec_t *task, const takt_item_t *item) {
    while (takt_work_unlocks_now(work, task)) {
        takt_firmware_makes(TAKT_RECORD_UNLOCK);
        (void)takt_job_unlock_first(resource_of(item));
        item = takt_work_pass(work, task);
    }
    takt_firmware_makes(TAKT_RECORD_UNLOCK);
    (void)takt_job_unlock(resource_of(item));
}

/* Items due at the instant of a lock are handled before it, unless an interrupt has handled them. */
static void lock(const takt_item_t *item) {
    if (!takt_firmware_time_passes) {
        takt_firmware_asks();
        (void)takt_job_settle();
    }
    takt_firmware_makes(TAKT_RECORD_LOCK);
    (void)takt_job_lock(resource_of(item));
}

static void pass_milestone(takt_work_t *work, const takt_task_spec_t *task) {
    const takt_item_t *item = takt_work_pass(work, task);
    switch (item->kind) {
    case TAKT_ITEM_POINT:
        (void)takt_job_point();
        break;
    case TAKT_ITEM_OPTIONAL_POINT:
        (void)takt_job_optional_point();
        break;
    case TAKT_ITEM_SUSPEND:
        takt_firmware_makes(TAKT_RECORD_SUSPEND);
        (void)takt_job_suspend(item->ticks);
        break;
    case TAKT_ITEM_LOCK:
        lock(item);
        break;
    default:
        unlock(work, task, item);
        break;
    }
}

static void execute(uint32_t index) {
    const takt_task_spec_t *task = &program.spec.tasks[index];
    takt_work_t work;
    takt_work_begin(&work, task, demand_of(index));
    burn(&work);
    while (work.after > 0) {
        pass_milestone(&work, task);
        burn(&work);
    }
}

static void work(void *argument) {
    const uint32_t index = index_of(argument);
    for (;;) {
        execute(index);
        takt_firmware_makes(TAKT_RECORD_COMPLETE);
        (void)takt_wait_next_period();
    }
}

/* ---- inputs from outside ---------------------------------------------------------------------------- */

static uint32_t next_input;

static takt_job_thread_t *changed_by(uint32_t change) {
    const takt_change_spec_t *spec = &program.spec.changes[change];
    return spec->kind == TAKT_CHANGE_POLICY ? NULL : &workers[spec->task].job;
}

static void make_change(uint32_t change) {
    const takt_job_thread_t *thread = changed_by(change);
    const takt_entity_t *entity = thread != NULL ? &thread->thread.plain.entity : NULL;
    takt_firmware_made((takt_record_kind_t)takt_event_of_change(entity, program.spec.changes[change].kind),
                       entity);
}

static void hand_over(const takt_input_t *input) {
    if (input->kind == TAKT_INPUT_CHANGE) {
        make_change(input->index);
        require(takt_job_change_from_isr(changed_by(input->index), input->index), "a change: ");
    } else {
        takt_firmware_made(TAKT_RECORD_ARRIVAL, &workers[input->index].job.thread.plain.entity);
        require(takt_job_arrive_from_isr(&workers[input->index].job, input->nominal), "an arrival: ");
    }
}

static void hand_over_due(takt_instant_t now) {
    while (next_input < program.input_count && program.inputs[next_input].instant <= now) {
        hand_over(&program.inputs[next_input]);
        next_input++;
    }
}

/* Of the next input; at the horizon the run ends, if it has not before. */
static takt_instant_t next_instant(void) {
    const bool is_any = next_input < program.input_count;
    const takt_instant_t instant = is_any ? program.inputs[next_input].instant : TAKT_NEVER;
    return instant < program.horizon ? instant : program.horizon;
}

/* Reads the clock again, so that the next input is not later by what handing over has taken. */
static void announce(void) {
    const takt_port_level_t level = takt_port_lock();
    takt_firmware_announce(takt_port_now(), next_instant());
    takt_port_unlock(level);
}

void takt_firmware_input(void) {
    const takt_instant_t now = takt_kernel_now();
    if (now >= program.horizon) {
        is_ending = true;
        takt_firmware_schedule_last();
        finish(false);
    }
    hand_over_due(now);
    announce();
}

/* ---- set-up ------------------------------------------------------------------------------------------ */

static void build(void) {
    takt_kernel_places_t places;
    require(takt_kernel_borrow(&places), "kernel: ");
    workers = takt_firmware_allocate(program.spec.task_count * (uint64_t)sizeof *workers);
    built.dispatcher = places.dispatcher;
    built.cpus = places.cpu;
    built.threads = places.idle;
    built.entities = &workers[0].job.thread.plain.entity;
    built.stride = sizeof *workers;
    const uint64_t bytes = takt_system_size(&built, &program.spec);
    if (bytes == 0 || program.spec.task_count == 0 || program.spec.thread_count != 1) {
        end(EXIT_REFUSED,
            "a task set has one task at least, one thread, and no more than the scheduler can number", "");
    }
    takt_system_build(&built, &program.spec, takt_firmware_allocate(bytes));
    require(takt_kernel_adopt(), "kernel: ");
    trace.is_remote = program.is_remote;
    takt_firmware_schedule(&program, &built, takt_firmware_observe(&program, &trace));
}

static void create_thread(worker_t *worker) {
    const takt_thread_parameters_t parameters = {
        .entry = work,
        .argument = worker,
        .stack = worker->stack,
        .stack_bytes = sizeof worker->stack,
    };
    require(takt_job_thread_attach(&worker->job, &parameters), "thread: ");
}

int main(void) {
    read_command_line();
    read_image();
    build();
    for (uint32_t index = 0; index < program.spec.task_count; index++) {
        create_thread(&workers[index]);
    }
    reserve_records();
    (void)takt_port_lock(); /* nothing comes before the start */
    hand_over_due(0);
    takt_firmware_announce(0, next_instant());
    require(takt_kernel_start(), "start: ");
    return 0;
}
