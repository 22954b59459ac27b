/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Mutexes of plain threads: both layers of the kernel do the same (rule 2 of DESIGN.md).
 *
 * Threads that do random things to mutexes of random protocols, to semaphores, to time and to each other's priorities run twice
 * on the port to a Linux process in virtual time: as they are, and with every event going through core's full pass. What every call
 * answers, thread and instant must be the same. Mutexes are locked in their order, so that no thread waits for ever. Besides,
 * in every run, no two threads hold the same, and timeouts are told at their instants. */
#define _DEFAULT_SOURCE 1 /* MAP_ANONYMOUS */

#include <string.h>
#include <sys/mman.h>

#include "posix_run.h"
#include "kernel/mutex.h"
#include "kernel/semaphore.h"

enum {
    SEQUENCES = 150,
    THREADS = 5,
    MUTEXES = 3,
    OPERATIONS = 60,
    PRIORITIES = 9, /* 1 .. 9 */
    LIMIT = THREADS * (OPERATIONS + MUTEXES + 1),
};

typedef enum what { WORK, YIELD, DELAY, GIVE, TAKE, LOCK, LOCK_FOR, UNLOCK, PRIORITY, WHATS } what_t;

typedef struct entry {
    uint64_t instant;
    int32_t who, what, status;
} entry_t;

typedef struct story {
    uint32_t count;
    entry_t entries[LIMIT];
} story_t;

typedef struct actor {
    takt_thread_t thread;
    uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
    uint64_t state; /* of its random numbers */
    int32_t number;
    uint32_t held[MUTEXES], held_count;
} actor_t;

static story_t *story; /* shared with the children */
static bool is_traced;
static actor_t actors[THREADS];
static uint32_t actor_count, ended;
static takt_mutex_t mutexes[MUTEXES];
static const actor_t *holders[MUTEXES];
static takt_semaphore_t semaphore;

static uint32_t draw(actor_t *actor, uint32_t limit) {
    actor->state = actor->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(actor->state >> 33) % limit;
}

static void tell(const actor_t *actor, what_t what, takt_status_t status) {
    CHECK(story->count < LIMIT);
    story->entries[story->count++] =
        (entry_t){takt_kernel_now(), actor->number, (int32_t)what, (int32_t)status};
}

/* ---- what threads do -------------------------------------------------------------------------- */

static void unlock_last(actor_t *actor) {
    const uint32_t mutex = actor->held[--actor->held_count];
    CHECK(holders[mutex] == actor && takt_mutex_holder(&mutexes[mutex]) == &actor->thread);
    holders[mutex] = NULL;
    tell(actor, UNLOCK, takt_mutex_unlock(&mutexes[mutex]));
}

static void note_lock(actor_t *actor, uint32_t mutex) {
    CHECK(holders[mutex] == NULL && takt_mutex_holder(&mutexes[mutex]) == &actor->thread);
    holders[mutex] = actor;
    actor->held[actor->held_count++] = mutex;
}

/* One behind those that it holds. */
static void lock_next(actor_t *actor, what_t what) {
    const uint32_t first = actor->held_count > 0 ? actor->held[actor->held_count - 1u] + 1u : 0u;
    if (first == MUTEXES) {
        return;
    }
    const uint32_t mutex = first + draw(actor, MUTEXES - first);
    const takt_duration_t duration = draw(actor, 6);
    const takt_instant_t begin = takt_kernel_now();
    const takt_status_t status =
        what == LOCK ? takt_mutex_lock(&mutexes[mutex]) : takt_mutex_lock_for(&mutexes[mutex], duration);
    tell(actor, what, status);
    if (status == TAKT_OK) {
        note_lock(actor, mutex);
    } else {
        CHECK(status == TAKT_TIMEOUT && what == LOCK_FOR && takt_kernel_now() >= begin + duration);
    }
}

static void change_priority(actor_t *actor) {
    takt_thread_t *thread = &actors[draw(actor, actor_count)].thread;
    const takt_status_t status = takt_thread_set_priority(thread, 1 + draw(actor, PRIORITIES));
    CHECK(status == TAKT_OK || status == TAKT_ERROR_OBJECT);
    tell(actor, PRIORITY, status);
}

static void operate(actor_t *actor) {
    const what_t what = (what_t)draw(actor, WHATS);
    switch (what) {
    case WORK:
        takt_port_work(1 + draw(actor, 4));
        takt_port_sync(); /* what is due by then comes now in both runs, and not between the steps of a pass */
        tell(actor, what, TAKT_OK);
        break;
    case YIELD:
        tell(actor, what, takt_thread_yield());
        break;
    case DELAY:
        tell(actor, what, takt_thread_delay(1 + draw(actor, 5)));
        break;
    case GIVE:
        tell(actor, what, takt_semaphore_give(&semaphore));
        break;
    case TAKE:
        tell(actor, what, takt_semaphore_take_for(&semaphore, draw(actor, 5)));
        break;
    case PRIORITY:
        change_priority(actor);
        break;
    case UNLOCK:
        if (actor->held_count > 0) {
            unlock_last(actor);
        }
        break;
    default:
        lock_next(actor, what);
        break;
    }
}

static void act(void *argument) {
    actor_t *actor = argument;
    for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
        operate(actor);
    }
    while (actor->held_count > 0) {
        unlock_last(actor);
    }
    if (++ended == actor_count) {
        takt_posix_exit(0);
    }
}

/* ---- a system ----------------------------------------------------------------------------------- */

static void forget(takt_trace_t *trace, const takt_record_t *record) {
    (void)trace;
    (void)record;
}

static takt_trace_t trace = {.record = forget};

/* Of one protocol, or of several that do not look at ceilings of others: these could close a cycle. */
static takt_protocol_t draw_protocol(void) {
    static const takt_protocol_t local[] = {TAKT_PROTOCOL_NONE, TAKT_PROTOCOL_NPCS, TAKT_PROTOCOL_PIP,
                                            TAKT_PROTOCOL_ICPP};
    static takt_protocol_t common;
    static bool is_mixed;
    if (mutexes[0].parent == NULL) {
        is_mixed = check_below(3) == 0;
        common =
            check_below(2) == 0 ? TAKT_PROTOCOL_PIP : (takt_protocol_t)check_below(TAKT_PROTOCOL_SRP + 1u);
    }
    return is_mixed ? local[check_below(4)] : common;
}

static void make_mutexes(void) {
    for (uint32_t mutex = 0; mutex < MUTEXES; mutex++) {
        const takt_mutex_parameters_t parameters = {.protocol = draw_protocol(), .ceiling = PRIORITIES};
        CHECK(takt_mutex_init(&mutexes[mutex], &parameters) == TAKT_OK);
    }
}

static void make_actor(uint32_t index) {
    actor_t *actor = &actors[index];
    actor->number = (int32_t)index;
    actor->state = check_random();
    const takt_thread_parameters_t parameters = {.name = "actor",
                                                 .entry = act,
                                                 .argument = actor,
                                                 .stack = actor->stack,
                                                 .stack_bytes = STACK_BYTES,
                                                 .priority = 1 + (uint32_t)check_below(PRIORITIES)};
    CHECK(takt_thread_create(&actor->thread, &parameters) == TAKT_OK);
}

static void run(void) {
    CHECK(takt_kernel_init(&takt_policy_fp) == TAKT_OK);
    CHECK(!is_traced || takt_kernel_trace_to(&trace) == TAKT_OK);
    CHECK(takt_semaphore_init(&semaphore, 0) == TAKT_OK);
    make_mutexes();
    actor_count = 2 + (uint32_t)check_below(THREADS - 1u);
    for (uint32_t index = 0; index < actor_count; index++) {
        make_actor(index);
    }
    CHECK(takt_kernel_start() == TAKT_OK);
}

static void sequence(void) {
    static story_t first;
    const uint64_t seed = check_run.seed;
    is_traced = false;
    memset(story, 0, sizeof *story);
    run_until_exit(run, 0);
    first = *story;
    check_seed(seed);
    is_traced = true;
    memset(story, 0, sizeof *story);
    run_until_exit(run, 0);
    CHECK(first.count == story->count && first.count > 0);
    for (uint32_t index = 0; index < first.count; index++) {
        CHECK(memcmp(&first.entries[index], &story->entries[index], sizeof first.entries[index]) == 0);
    }
}

int main(void) {
    story = mmap(NULL, sizeof *story, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(story != MAP_FAILED);
    check_sequences(sequence, SEQUENCES);
    return check_report("test_mutexes");
}
