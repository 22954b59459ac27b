/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Admission at run time: tasks ask to enter a running system, and an analysis answers.
 *
 * Requests come one after the other, as lines on a serial line would (requests.h): `text` below, or the file that the
 * command line names. Before a task enters, the exact response times of all that would be there are computed
 * (admission.h). An admitted task is a thread, released by an alarm; no job of it is late, and late jobs are counted
 * at the end.
 *
 *     admission, priority 0   waits for a request, judges, lets enter or leave
 *     a thread for each task  waits for its release, executes its wcet, checks whether it was late
 *
 * Why a change is safe: the thread that admits is the least urgent, so that whenever it executes, every released job
 * is done. It stops and starts releases itself; so no job of a task that has left delays one of a task that has
 * entered, and each job's busy period has only tasks that were judged together (the idle instant of Tindell and Alonso
 * 1996, A very simple protocol for mode changes in priority preemptive systems). The price is that an answer comes
 * when there is time for it.
 *
 * `make admission`, `make admission PORT=riscv`, `make admission PORT=posix`. */
#include "admission.h"
#include "examples/blinky_rtos/line.h"
#include "firmware/board.h"
#include "firmware/semihost.h"
#include "kernel/alarm.h"
#include "kernel/kernel.h"
#include "kernel/semaphore.h"
#include "policy/table.h"
#include "requests.h"

enum { ADMISSION_STACK_BYTES = TAKT_STACK_BYTES_MIN + 2048, TASK_STACK_BYTES = TAKT_STACK_BYTES_MIN + 512 };

static const char text[] =
    "# ms  what   name     wcet  period  deadline  priority\n"
    "    0 enter  servo     800    5000      4000        25\n"
    "   20 enter  imu      1500   10000     10000        20\n"
    "   40 enter  filter   4000   20000     20000        15\n"
    "   60 enter  camera  12000   40000     40000        10\n"
    "   80 enter  logger   9000  100000     72999         5\n"
    "  100 enter  logger   9000  100000     90000         5\n"
    "  120 enter  radio    3000   30000     15000        18\n"
    "  140 enter  radio    1000   30000     15000        18\n"
    "  150 enter  sonar    1000   30000     15000        18\n"
    "  600 leave  camera\n"
    "  620 enter  radar    8000   30000     30000        12\n"
    "  640 enter  map      9999   15001     15001        11\n"
    " 1300 end\n";

/* Ends the program with a line if a call answers what it must not. */
static void require(takt_status_t status, const char *what) {
    if (status != TAKT_OK) {
        takt_semihost_print(what);
        takt_semihost_print(": ");
        takt_semihost_print(takt_status_message(status));
        takt_semihost_print("\n");
        takt_semihost_exit(1);
    }
}

void takt_port_fault(void) {
    takt_semihost_print("the machine faulted, or a stack has overflowed\n");
    takt_semihost_exit(1);
}

static takt_duration_t microseconds(takt_duration_t ticks) { return ticks / admission_ticks; }

/* ---- a task ------------------------------------------------------------------------------------------- */

typedef struct task {
    takt_thread_t thread;
    takt_alarm_t alarm;
    takt_semaphore_t released;
    request_t request;
    takt_instant_t next;     /* the release of the job that executes or comes next */
    bool is_released;        /* a first time */
    takt_duration_t bound;   /* of its responses, in any of the sets in which it was: microseconds */
    takt_duration_t longest; /* response that there was: ticks */
    uint32_t jobs, late;
    uint64_t stack[TASK_STACK_BYTES / sizeof(uint64_t)];
} task_t;

/* In the timer's interrupt. The alarm counts from its nominal instants, and so do responses. */
static void release(void *argument) {
    task_t *task = argument;
    takt_duration_t left = 0;
    if (!task->is_released) {
        const takt_instant_t now = takt_kernel_now();
        require(takt_alarm_remaining(&task->alarm, &left), "remaining");
        task->next = now + left - task->request.period * admission_ticks;
        task->is_released = true;
    }
    require(takt_semaphore_give_from_isr(&task->released), "release");
}

static void count_job(task_t *task) {
    const takt_duration_t response = takt_kernel_now() - task->next;
    task->next += task->request.period * admission_ticks;
    task->longest = response > task->longest ? response : task->longest;
    task->late += response > task->request.deadline * admission_ticks;
    task->jobs++;
}

static void run_task(void *argument) {
    task_t *task = argument;
    for (;;) {
        require(takt_semaphore_take(&task->released), "take");
        takt_firmware_burn(task->request.wcet * admission_ticks);
        count_job(task);
    }
}

static void start(task_t *task) {
    const takt_thread_parameters_t parameters = {
        .name = task->request.name,
        .entry = run_task,
        .argument = task,
        .stack = task->stack,
        .stack_bytes = sizeof task->stack,
        .priority = task->request.priority,
    };
    require(takt_semaphore_init(&task->released, 0), "semaphore");
    require(takt_alarm_init(&task->alarm, release, task), "alarm");
    require(takt_thread_create(&task->thread, &parameters), task->request.name);
    require(takt_alarm_start_periodic(&task->alarm, 0, task->request.period * admission_ticks), "start");
}

/* Every thread released meanwhile has finished: this is the least urgent thread. So the task waits for a release. */
static void stop(task_t *task) {
    require(takt_alarm_stop(&task->alarm), "stop");
    require(takt_thread_delete(&task->thread), task->request.name);
}

/* ---- those that are there --------------------------------------------------------------------------------- */

static task_t memory[ADMISSION_TASKS];

/* Most urgent first; behind `count` those that are free. */
static task_t *tasks[ADMISSION_TASKS];
static uint32_t count;

static uint32_t place_of_name(const char *name) {
    uint32_t place = 0;
    while (place < count && !request_is_name(tasks[place]->request.name, name)) {
        place++;
    }
    return place;
}

/* In front of all that are less urgent. */
static uint32_t place_of_priority(uint32_t priority) {
    uint32_t place = 0;
    while (place < count && tasks[place]->request.priority > priority) {
        place++;
    }
    return place;
}

/* Moves the task at `from` to `to`, and those between by one. */
static void move(uint32_t from, uint32_t to) {
    task_t *moved = tasks[from];
    for (; from < to; from++) {
        tasks[from] = tasks[from + 1u];
    }
    for (; from > to; from--) {
        tasks[from] = tasks[from - 1u];
    }
    tasks[to] = moved;
}

/* ---- what is said --------------------------------------------------------------------------------------- */

static uint32_t printable(uint64_t number) { return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX; }

static void add_number(line_t *line, const char *before, uint64_t number, const char *after) {
    line_add(line, before, 0);
    line_add_number(line, printable(number), 0);
    line_add(line, after, 0);
}

static line_t begin_line(const request_t *request, const char *what) {
    line_t line = {.length = 0};
    line_add(&line, "[", 0);
    line_add_number(&line, request->ms, 4);
    line_add(&line, " ms] ", 0);
    line_add(&line, request->name, 0);
    line_add(&line, what, 0);
    return line;
}

static void say(const request_t *request, const char *what) {
    line_t line = begin_line(request, what);
    line_print(&line);
}

static void say_costs(void) {
    line_t line = {.length = 0};
    add_number(&line, "costs in us: release ", admission_costs.release, "");
    add_number(&line, ", switch ", admission_costs.context_switch, "");
    add_number(&line, ", request ", admission_costs.tick, "");
    add_number(&line, " every ", admission_costs.tick_period, "");
    add_number(&line, ", masked ", admission_masked, "");
    line_print(&line);
}

static void say_admitted(const task_t *task, admission_answer_t answer) {
    line_t line = begin_line(&task->request, " admitted:");
    add_number(&line, " response ", task->bound, "");
    add_number(&line, " of ", task->request.deadline, " us");
    add_number(&line, ", ", answer.steps, " steps");
    line_print(&line);
}

static void say_late(const task_t *task, const task_t *late, takt_response_t response,
                     admission_answer_t answer) {
    line_t line = begin_line(&task->request, " refused: ");
    line_add(&line, late->request.name, 0);
    if (response.is_bounded) {
        add_number(&line, " would take ", response.ticks, "");
        add_number(&line, " of ", late->request.deadline, " us");
    } else {
        line_add(&line, " would have no bound", 0);
    }
    add_number(&line, ", ", answer.steps, " steps");
    line_print(&line);
}

static void say_done(const task_t *task) {
    line_t line = {.length = 0};
    line_add(&line, task->request.name, REQUEST_NAME_BYTES);
    line_add_number(&line, task->jobs, 6);
    line_add_number(&line, task->late, 6);
    line_add_number(&line, printable(microseconds(task->longest)), 12);
    line_add_number(&line, printable(task->bound), 10);
    line_add_number(&line, task->request.deadline, 13);
    line_add_number(&line, takt_thread_stack_unused(&task->thread), 14);
    line_print(&line);
}

static void say_heads(void) {
    takt_semihost_print("task          jobs  late  longest us  bound us  deadline us  stack unused\n");
}

/* ---- requests ------------------------------------------------------------------------------------------- */

static takt_response_t responses[ADMISSION_TASKS];

static admission_answer_t judge(void) {
    static takt_sporadic_t asked[ADMISSION_TASKS];
    for (uint32_t i = 0; i < count; i++) {
        const request_t *request = &tasks[i]->request;
        asked[i] = (takt_sporadic_t){request->wcet, request->period, request->deadline, 0};
    }
    return admission_judge(asked, count, responses);
}

static void raise_bounds(void) {
    for (uint32_t i = 0; i < count; i++) {
        const takt_duration_t ticks = responses[i].ticks;
        tasks[i]->bound = ticks > tasks[i]->bound ? ticks : tasks[i]->bound;
    }
}

static void refuse(uint32_t place, admission_answer_t answer) {
    if (answer.verdict == TAKT_UNDECIDED) {
        say(&tasks[place]->request, " refused: too many steps");
    } else {
        say_late(tasks[place], tasks[answer.late], responses[answer.late], answer);
    }
    move(place, --count);
}

/* What was there of another task is forgotten, but for the number of its thread. */
static void fill(task_t *task, const request_t *request) {
    task->request = *request;
    task->is_released = false;
    task->bound = 0;
    task->longest = 0;
    task->jobs = 0;
    task->late = 0;
}

static void try_to_enter(const request_t *request, uint32_t place) {
    fill(tasks[count], request);
    move(count++, place);
    const admission_answer_t answer = judge();
    if (answer.verdict != TAKT_SCHEDULABLE) {
        refuse(place, answer);
        return;
    }
    raise_bounds();
    say_admitted(tasks[place], answer);
    start(tasks[place]);
}

static void enter(const request_t *request) {
    const uint32_t place = place_of_priority(request->priority);
    if (count == ADMISSION_TASKS) {
        say(request, " refused: no room");
    } else if (place_of_name(request->name) < count) {
        say(request, " refused: it is there");
    } else if (place < count && tasks[place]->request.priority == request->priority) {
        say(request, " refused: its priority is taken");
    } else {
        try_to_enter(request, place);
    }
}

static void leave(const request_t *request) {
    const uint32_t place = place_of_name(request->name);
    if (place == count) {
        say(request, " is not there");
        return;
    }
    say(request, " leaves:");
    say_heads();
    say_done(tasks[place]);
    stop(tasks[place]);
    move(place, --count);
}

static __attribute__((noreturn)) void end(void) {
    say_heads();
    for (uint32_t i = 0; i < count; i++) {
        say_done(tasks[i]);
    }
    takt_semihost_exit(0);
}

static void serve(const request_t *request) {
    switch (request->kind) {
    case REQUEST_ENTER:
        enter(request);
        break;
    case REQUEST_LEAVE:
        leave(request);
        break;
    case REQUEST_END:
        end();
    }
}

/* ---- the line ------------------------------------------------------------------------------------------- */

static takt_semaphore_t arrived;
static takt_alarm_t line_alarm;

/* An alarm stands for the interrupt of the line. */
static void receive(void *argument) {
    (void)argument;
    require(takt_semaphore_give_from_isr(&arrived), "arrived");
}

/* Nothing comes through the board's alarm. */
void takt_firmware_input(void) {}

/* Returns when the request has come: at its time, and not before the line has had time for it. */
static void wait_for(const request_t *request) {
    const takt_instant_t at = (takt_instant_t)request->ms * 1000u * admission_ticks;
    const takt_instant_t now = takt_kernel_now();
    const takt_duration_t least = ADMISSION_LINE_US * admission_ticks;
    const takt_duration_t delay = at > now + least ? at - now : least;
    require(takt_alarm_start(&line_alarm, delay), "line");
    require(takt_semaphore_take(&arrived), "arrived");
}

static __attribute__((noreturn)) void give_up(const char *first, const char *place) {
    uint32_t number = 1;
    for (; first < place; first++) {
        number += *first == '\n';
    }
    line_t line = {.length = 0};
    add_number(&line, "line ", number, " is no request");
    line_print(&line);
    takt_semihost_exit(1);
}

static void run_admission(void *argument) {
    const char *place = argument;
    request_t request;
    while (request_read(&place, &request)) {
        wait_for(&request);
        serve(&request);
    }
    give_up(argument, place);
}

/* ---- set-up ----------------------------------------------------------------------------------------------- */

static takt_thread_t admission;
static uint64_t admission_stack[ADMISSION_STACK_BYTES / sizeof(uint64_t)];

/* The second word of the command line, NULL if there is none. */
static const char *file_name(void) {
    static char command[256];
    const char *word = command;
    if (!takt_semihost_command_line(command, sizeof command)) {
        return NULL;
    }
    while (*word != 0 && *word != ' ') {
        word++;
    }
    return *word == ' ' ? word + 1 : NULL;
}

static const char *requests(void) {
    static char loaded[8192];
    const char *name = file_name();
    size_t bytes = 0;
    if (name == NULL) {
        return text;
    }
    if (!takt_semihost_load(name, loaded, sizeof loaded - 1u, &bytes)) {
        takt_semihost_print("there is no such file of requests, or it is too long\n");
        takt_semihost_exit(1);
    }
    return loaded;
}

static void create_admission(void) {
    const takt_thread_parameters_t parameters = {
        .name = "admission",
        .entry = run_admission,
        .argument = (void *)(uintptr_t)requests(),
        .stack = admission_stack,
        .stack_bytes = sizeof admission_stack,
        .priority = 0,
    };
    require(takt_thread_create(&admission, &parameters), parameters.name);
}

int main(void) {
    for (uint32_t i = 0; i < ADMISSION_TASKS; i++) {
        tasks[i] = &memory[i];
    }
    takt_firmware_prepare(0);
    require(takt_kernel_init(&takt_policy_fp), "kernel");
    require(takt_semaphore_init(&arrived, 0), "arrived");
    require(takt_alarm_init(&line_alarm, receive, NULL), "line");
    create_admission();
    say_costs();
    require(takt_kernel_start(), "start");
    return 0;
}
