/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A program of plain threads in virtual time, for any backend: `remote_threads SEED DELAY`. Messages to a scheduler at a
 * distance take up to DELAY ticks; all that is drawn follows from SEED. With a third word a thread locks a mutex first.
 *
 * It checks itself: what was sent is received, in the order of each sender; a section has one thread; a suspended thread
 * does nothing; bits and units are not lost; it ends. At the end the trace must replay identically, and the observer,
 * if there is one, must have found nothing. Prints each step: its instant, who did it, and what came of it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "firmware/backends/observe.h"
#include "firmware/scheduler.h"
#include "kernel/flags.h"
#include "kernel/geometry.h"
#include "kernel/kernel.h"
#include "kernel/messages.h"
#include "kernel/mutex.h"
#include "kernel/semaphore.h"
#include "policy/table.h"
#include "port/posix/posix.h"
#include "sim/replay.h"

enum {
    EXIT_WRONG = 1,
    EXIT_REFUSED = 2,
    EXIT_OBSERVED = 7,
    ROUNDS = 25,
    PLACES = 2,  /* of the queue */
    SENDERS = 3, /* the last one is the interrupt */
    CHILDREN = 4,
    INTERRUPT = 3,
    DELAYS = 61,
    RECORDS = 1 << 18,
    BYTES = 2 * TAKT_STACK_BYTES_MIN, /* of a stack */
    WORDS = BYTES / sizeof(uint64_t),
    BIT_TICK = 1,
    BIT_END = 2,
};

typedef enum role {
    CLOSER,
    RECEIVER,
    SENDER_0,
    SENDER_1,
    WORKER_0,
    WORKER_1,
    LISTENER,
    COUNTER,
    VICTIM,
    MANAGER,
    ROLES
} role_t;

static const uint32_t priorities[ROLES] = {9, 5, 4, 6, 4, 4, 7, 3, 4, 5};

static takt_thread_t threads[ROLES], children[CHILDREN];
static uint64_t stacks[ROLES][WORDS], child_stacks[CHILDREN][WORDS];

static void require_at(bool is_true, int line) {
    if (!is_true) {
        (void)printf("remote_threads.c:%d is wrong at %" PRIu64 "\n", line, takt_kernel_now());
        takt_posix_exit(EXIT_WRONG);
    }
}

#define REQUIRE(condition) require_at((condition), __LINE__)

/* ---- what is drawn ------------------------------------------------------------------------------------- */

static uint64_t state;

static uint32_t draw(uint32_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % below);
}

static bool has_mutex;
static uint32_t distance; /* that messages travel, in ticks, at most, and 1 */

/* A pause, mostly long enough for others to run meanwhile. */
static takt_duration_t draw_pause(uint32_t below) { return 1u + draw(below) * distance; }

/* ---- the system of the scheduler side --------------------------------------------------------------------- */

enum { NUMBERS = ROLES + 1 + CHILDREN }; /* the idle thread follows those that are created before the start */

static takt_thread_spec_t levels[NUMBERS];
static uint64_t delays[DELAYS];
static const takt_stream_t listed = {.kind = TAKT_STREAM_LISTED, .count = DELAYS, .values = delays};
static takt_program_t program = {.is_remote = true, .delays = &listed};
static takt_record_t records[RECORDS];
static uint64_t record_count;

void *takt_firmware_allocate(uint64_t bytes) {
    void *memory = calloc(1, (size_t)bytes + 1u);
    REQUIRE(memory != NULL);
    return memory;
}

__attribute__((noreturn)) void takt_firmware_refuse(const char *what, const char *detail) {
    (void)printf("%s%s\n", what, detail);
    takt_posix_exit(EXIT_REFUSED);
}

static void keep(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    REQUIRE(record_count < RECORDS);
    records[record_count++] = *record;
}

static takt_trace_t trace = {.record = keep};

static void describe(void) {
    for (uint32_t i = 0; i < NUMBERS; i++) {
        levels[i].level = i < ROLES ? TAKT_PRIORITIES - priorities[i] : TAKT_KERNEL_IDLE_LEVEL;
    }
    for (uint32_t i = 0; i < DELAYS; i++) {
        delays[i] = draw(distance);
    }
    program.spec = (takt_system_spec_t){.policy = &takt_policy_fp,
                                        .levels = TAKT_KERNEL_IDLE_LEVEL,
                                        .threads = levels,
                                        .thread_count = NUMBERS};
}

#ifdef TAKT_BACKEND
static takt_system_t of_kernel; /* none of its entities is built from a spec */

static void attach(void) {
    trace.is_remote = true;
    takt_firmware_schedule(&program, &of_kernel, takt_firmware_observe(&program, &trace));
}
#else
static void attach(void) { REQUIRE(takt_kernel_trace_to(&trace) == TAKT_OK); }
#endif

static void replay(void) {
    static takt_system_t again;
    const uint64_t bytes = takt_system_size(&again, &program.spec);
    takt_system_build(&again, &program.spec, takt_firmware_allocate(bytes));
    again.is_remote = trace.is_remote;
    const takt_replay_result_t result = takt_replay(&again, records, record_count);
    REQUIRE(result.verdict == TAKT_REPLAY_IDENTICAL && result.decisions > ROUNDS);
}

static void complain(const char *finding) {
    (void)printf("%s\n", finding);
    takt_posix_exit(EXIT_OBSERVED);
}

/* ---- steps of threads ---------------------------------------------------------------------------------- */

static void say(role_t role, const char *step, takt_status_t status) {
    takt_firmware_judge(complain);
    (void)printf("%" PRIu64 " %d %s %d\n", takt_kernel_now(), (int)role, step, (int)status);
}

static void yield(role_t role) {
    takt_firmware_makes(TAKT_RECORD_YIELD);
    say(role, "yield", takt_thread_yield());
}

static void idle_a_little(role_t role) {
    switch (draw(4)) {
    case 0:
        yield(role);
        break;
    case 1:
        say(role, "delay", takt_thread_delay(draw_pause(20)));
        break;
    case 2:
        takt_port_work(1u + draw(9));
        say(role, "work", TAKT_OK);
        break;
    default:
        break;
    }
}

static takt_semaphore_t finished, section, ticks, born, never;
static takt_messages_t queue;
static takt_flags_t flags;
static takt_mutex_t mutex;

/* Takes a unit, perhaps after some timeouts. */
static void take(role_t role, takt_semaphore_t *semaphore) {
    takt_status_t status = TAKT_TIMEOUT;
    while (status == TAKT_TIMEOUT) {
        status = draw(2) == 0 ? takt_semaphore_take(semaphore) : takt_semaphore_take_for(semaphore, draw(30));
        say(role, "take", status);
    }
    REQUIRE(status == TAKT_OK);
}

static __attribute__((noreturn)) void end(role_t role) {
    say(role, "ends", takt_semaphore_give(&finished));
    (void)takt_semaphore_take(&never);
    REQUIRE(false);
    abort();
}

/* ---- messages ------------------------------------------------------------------------------------------ */

typedef struct letter {
    uint32_t sender, number;
} letter_t;

static void send_all(role_t role, uint32_t sender) {
    for (uint32_t number = 0; number < ROUNDS; number++) {
        const letter_t letter = {sender, number};
        takt_status_t status = TAKT_TIMEOUT;
        while (status == TAKT_TIMEOUT) {
            status = draw(2) == 0 ? takt_messages_send(&queue, &letter)
                                  : takt_messages_send_for(&queue, &letter, draw(30));
            say(role, "send", status);
        }
        idle_a_little(role);
    }
    end(role);
}

static void receive_all(role_t role) {
    uint32_t next[SENDERS] = {0}, count = 0;
    while (count < SENDERS * ROUNDS) {
        letter_t letter;
        const takt_status_t status = draw(2) == 0 ? takt_messages_receive(&queue, &letter)
                                                  : takt_messages_receive_for(&queue, &letter, draw(30));
        say(role, "receive", status);
        if (status == TAKT_OK) {
            REQUIRE(letter.number == next[letter.sender]++);
            count++;
        }
        idle_a_little(role);
    }
    end(role);
}

/* ---- the section ------------------------------------------------------------------------------------------ */

static uint32_t inside;

static void enter_and_leave(role_t role) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
        take(role, &section);
        REQUIRE(inside++ == 0);
        idle_a_little(role);
        REQUIRE(--inside == 0);
        say(role, "give", takt_semaphore_give(&section));
        idle_a_little(role);
    }
    end(role);
}

/* ---- the interrupt ---------------------------------------------------------------------------------------- */

static uint32_t units_left = ROUNDS, next_message;

static void interrupt(void) {
    const letter_t letter = {SENDERS - 1, next_message};
    if (units_left > 0) {
        REQUIRE(takt_semaphore_give_from_isr(&ticks) == TAKT_OK);
        units_left--;
    }
    if (next_message < ROUNDS && takt_messages_send_from_isr(&queue, &letter) == TAKT_OK) {
        next_message++;
    }
    const bool is_last = units_left == 0 && next_message == ROUNDS;
    (void)takt_flags_set_from_isr(&flags, is_last ? BIT_END : BIT_TICK);
    if (!is_last) {
        takt_posix_interrupt_announce(INTERRUPT, takt_kernel_now() + 1u + draw(40));
    }
}

static void count_units(role_t role) {
    for (uint32_t round = 0; round < ROUNDS; round++) {
        take(role, &ticks);
        idle_a_little(role);
    }
    REQUIRE(takt_semaphore_try_take(&ticks) == TAKT_TIMEOUT);
    end(role);
}

static void listen(role_t role) {
    uint32_t bits = 0;
    while ((bits & BIT_END) == 0) {
        const takt_status_t status =
            takt_flags_wait_for(&flags, BIT_TICK | BIT_END, TAKT_FLAGS_CLEAR, &bits, draw_pause(100));
        say(role, "flags", status);
        idle_a_little(role);
    }
    end(role);
}

/* ---- threads that others manage ------------------------------------------------------------------------- */

static uint32_t steps, heard;

static void be_a_victim(role_t role) {
    uint32_t bits;
    for (;;) {
        steps++;
        idle_a_little(role);
        say(role, "notification", takt_notification_take_for(&bits, draw_pause(20)));
        heard |= bits;
    }
}

static void suspend_and_resume(role_t role) {
    say(role, "suspend", takt_thread_suspend(&threads[VICTIM]));
    const uint32_t before = steps;
    say(role, "delay", takt_thread_delay(draw_pause(30)));
    REQUIRE(steps == before);
    say(role, "resume", takt_thread_resume(&threads[VICTIM]));
}

static void change_priority(role_t role) {
    takt_thread_t *other = &threads[SENDER_0 + (int)draw(MANAGER - SENDER_0)];
    takt_firmware_made(TAKT_RECORD_PRIORITY, &other->plain.entity);
    say(role, "priority", takt_thread_set_priority(other, 2u + draw(6)));
}

/* Returns by itself, or is deleted while it waits, is ready, or never ran. */
static void be_a_child(void *argument) {
    (void)argument;
    say(ROLES, "begins", TAKT_OK);
    if (draw(2) == 0) {
        idle_a_little(ROLES);
        say(ROLES, "born", takt_semaphore_give(&born));
        return;
    }
    say(ROLES, "born", takt_semaphore_give(&born));
    for (;;) {
        idle_a_little(ROLES);
        say(ROLES, "take", takt_semaphore_take_for(&never, draw_pause(9)));
    }
}

static void raise_child(role_t role, uint32_t place, uint32_t priority) {
    const takt_thread_parameters_t parameters = {
        .entry = be_a_child, .stack = child_stacks[place], .stack_bytes = BYTES, .priority = priority};
    takt_status_t status = takt_thread_create(&children[place], &parameters);
    say(role, "create", status);
    if (status == TAKT_ERROR_EXISTS) {
        status = takt_thread_delete(&children[place]);
        say(role, "delete", status);
    } else if (draw(2) == 0) {
        take(role, &born);
        (void)takt_semaphore_give(&born);
    }
    REQUIRE(status == TAKT_OK);
}

static void manage(role_t role) {
    uint32_t told = 0;
    for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
        suspend_and_resume(role);
        change_priority(role);
        raise_child(role, draw(CHILDREN), draw(2) == 0 ? 8u : 1u);
        told |= 1u << draw(32);
        say(role, "notify", takt_thread_notify(&threads[VICTIM], told));
        idle_a_little(role);
    }
    while (heard != told) {
        say(role, "delay", takt_thread_delay(draw_pause(50)));
    }
    end(role);
}

/* ---- the beginning and the end ----------------------------------------------------------------------------- */

/* Its child runs first: an inline layer that decides something is seen at once. */
static void close(role_t role) {
    if (has_mutex) {
        say(role, "lock", takt_mutex_lock(&mutex));
    }
    raise_child(role, 0, priorities[role] + 1u);
    for (uint32_t i = 0; i < ROLES - 2; i++) { /* all but itself and the victim */
        take(role, &finished);
    }
    takt_firmware_judge(complain);
    replay();
    takt_posix_exit(0);
}

static void play(void *argument) {
    const role_t role = (role_t)((takt_thread_t *)argument - threads);
    switch (role) {
    case CLOSER:
        close(role);
        break;
    case RECEIVER:
        receive_all(role);
        break;
    case SENDER_0:
    case SENDER_1:
        send_all(role, role - SENDER_0);
        break;
    case LISTENER:
        listen(role);
        break;
    case COUNTER:
        count_units(role);
        break;
    case VICTIM:
        be_a_victim(role);
        break;
    case MANAGER:
        manage(role);
        break;
    default:
        enter_and_leave(role);
        break;
    }
}

static void create(role_t role) {
    const takt_thread_parameters_t parameters = {.entry = play,
                                                 .argument = &threads[role],
                                                 .stack = stacks[role],
                                                 .stack_bytes = BYTES,
                                                 .priority = priorities[role]};
    REQUIRE(takt_thread_create(&threads[role], &parameters) == TAKT_OK);
}

static void make_objects(void) {
    static letter_t places[PLACES];
    REQUIRE(takt_messages_init(&queue, places, sizeof *places, PLACES) == TAKT_OK);
    REQUIRE(takt_flags_init(&flags) == TAKT_OK);
    REQUIRE(takt_mutex_init(&mutex, &(takt_mutex_parameters_t){.protocol = TAKT_PROTOCOL_PIP}) == TAKT_OK);
    REQUIRE(takt_semaphore_init(&section, 1) == TAKT_OK);
    REQUIRE(takt_semaphore_init(&finished, 0) == TAKT_OK && takt_semaphore_init(&ticks, 0) == TAKT_OK);
    REQUIRE(takt_semaphore_init(&born, 0) == TAKT_OK && takt_semaphore_init(&never, 0) == TAKT_OK);
}

int main(int count, char **words) {
    REQUIRE(count >= 3);
    has_mutex = count > 3;
    state = strtoul(words[1], NULL, 10);
    distance = 1u + (uint32_t)strtoul(words[2], NULL, 10);
    describe();
    REQUIRE(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    attach();
    make_objects();
    for (role_t role = 0; role < ROLES; role++) {
        create(role);
    }
    takt_posix_interrupt_enable(INTERRUPT, interrupt);
    takt_posix_interrupt_announce(INTERRUPT, 5);
    REQUIRE(takt_kernel_start() == TAKT_OK);
    return 0;
}
