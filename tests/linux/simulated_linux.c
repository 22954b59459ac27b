/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A Linux of virtual time around a domain: threads that execute the jobs of an image, and a processor that switches as the
 * domain decides.
 *
 *     simulated_linux IMAGE RECORDS SEED COUNT
 *
 * With seed 0 nothing takes time and nothing goes wrong: what runs is what the simulation of the image runs. With any
 * other seed calls come late, threads sleep in any state with any request, and send events that make no sense. COUNT is the
 * records of the log.
 * What the domain foresees runs ahead of it: it follows at the next call, and has to agree, whatever happened.
 * It prints how often each receipt came, and how often a job ran ahead. Exit status: 0 done, 2 the domain was refused, with a line that says why. */
#include "linux/foresight.h"
#include "linux/negotiation.h"
#include "system/work.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECEIPTS = TAKT_RECEIPT_AHEAD + 1, LATE_MOST = 4, SHORT_SLEEP = 6, LONG_SLEEP = 60 };

/* Ticks, as those of takt.bpf.c in ns. */
enum { GRACE = 2, PATIENCE = 20 };

/* What executes the jobs of a task. */
typedef struct thread {
    takt_work_t work;
    uint32_t job;                /* the one that `work` is of */
    bool has_begun;              /* there is one */
    bool is_dead;                /* the kernel completes its jobs as soon as they are selected */
    bool is_about_to_lock;       /* what was due at the instant of the lock is handled */
    takt_instant_t sleeps_until; /* 0: it is awake */
    takt_instant_t absent_since; /* it did not run when its job was selected, since it slept; 0: it did */
} thread_t;

static takt_domain_t *domain;
static thread_t *threads;
static uint64_t chaos; /* random numbers; 0: there are none */
static takt_instant_t now;
static uint64_t running = TAKT_NO_ENTITY;
static uint32_t receipts[RECEIPTS];
static takt_foresight_t foresight = {.entity = TAKT_NO_ENTITY}; /* forgotten with each call of the domain */
static bool is_ahead; /* its entity runs, and the domain has not decided */
static takt_instant_t ahead_since;
static uint32_t aheads;
static uint64_t ended = TAKT_NO_ENTITY; /* its job has, as was foreseen; that is not posted yet */
static takt_instant_t ended_at;

/* ---- chance ------------------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t count) {
    chaos ^= chaos << 13;
    chaos ^= chaos >> 7;
    chaos ^= chaos << 17;
    return chaos % count;
}

static bool happens(uint64_t one_in) { return chaos != 0 && draw(one_in) == 0; }

/* Instants that a call comes too late. */
static takt_duration_t lateness(void) { return happens(3) ? draw(LATE_MOST) : 0; }

/* ---- the image ---------------------------------------------------------------------------------------- */

static uint64_t address_of(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

static void refuse(const takt_domain_order_t *order, takt_domain_status_t status) {
    const char *detail = status == TAKT_DOMAIN_IMAGE      ? takt_image_message(order->image)
                         : status == TAKT_DOMAIN_RELATION ? takt_relation_message(order->relation)
                                                          : "";
    printf("%s: %s\n", takt_domain_message(status), detail);
    exit(2);
}

/* Gives as much memory as is asked for. */
static void build(const char *name, uint64_t records) {
    takt_domain_order_t order = {.records = records};
    order.words = read_words(name, &order.count);
    void *memory = NULL;
    uint64_t status, bytes = 0;
    uint32_t tries = 0;
    do {
        free(memory);
        memory = calloc(bytes + 1u, 1);
        MUST(memory != NULL && tries++ < 4);
        status = takt_domain_build(address_of(memory), bytes, address_of(&order));
        MUST(status != TAKT_DOMAIN_MEMORY || order.bytes > bytes);
        bytes = order.bytes;
    } while (status == TAKT_DOMAIN_MEMORY);
    if (status != TAKT_DOMAIN_OK) {
        refuse(&order, (takt_domain_status_t)status);
    }
    domain = memory;
    threads = calloc(domain->system.task_count + 1u, sizeof *threads);
    MUST(threads != NULL);
}

/* ---- calls of the domain ------------------------------------------------------------------------------ */

static uint32_t index_of(uint64_t entity) { return (uint32_t)entity - 1u - domain->system.server_count; }

static thread_t *thread_of(uint64_t entity) { return &threads[index_of(entity)]; }

/* When the domain has to be called at the latest if the foreseen job runs ahead. */
static takt_instant_t call_of_foresight(void) {
    const bool is_limited = foresight.budget < TAKT_NEVER - ahead_since;
    return takt_least_of(foresight.until, is_limited ? ahead_since + foresight.budget : TAKT_NEVER);
}

/* `wanted` would run. Nothing is foreseen while another one runs, and no release while a job runs. */
static void foresee(uint64_t wanted) {
    MUST(takt_domain_foresee(address_of(domain), address_of(&foresight)) ==
         takt_domain_next(address_of(domain)));
    MUST(foresight.entity == TAKT_NO_ENTITY ||
         (wanted == running && (wanted == TAKT_NO_ENTITY) == (foresight.after == TAKT_NO_ENTITY)));
}

/* The domain decides what it is behind: as was foreseen, and until then at least. */
static void follow(void) {
    if (ended != TAKT_NO_ENTITY) {
        const uint64_t kind = (uint64_t)TAKT_EVENT_COMPLETE << TAKT_DOMAIN_KIND_SHIFT;
        receipts[TAKT_RECEIPT_RECEIVED]++;
        MUST(takt_domain_post(address_of(domain), TAKT_DOMAIN_OF_THREAD | kind | ended, thread_of(ended)->job,
                              ended_at, ended_at) == TAKT_RECEIPT_RECEIVED);
        ended = TAKT_NO_ENTITY;
    }
    if (is_ahead) {
        is_ahead = false;
        MUST(takt_domain_peek(address_of(domain), ahead_since) == foresight.entity);
        MUST(takt_domain_take(address_of(domain), ahead_since) == foresight.entity);
        MUST(takt_domain_agrees(address_of(domain), address_of(&foresight)) == 1);
        MUST(takt_domain_next(address_of(domain)) >= call_of_foresight());
    }
    foresight.entity = TAKT_NO_ENTITY;
}

static uint64_t state_of(uint64_t entity) {
    follow();
    return takt_domain_state(address_of(domain), entity);
}

static const takt_task_spec_t *task_of(uint64_t entity) {
    return &domain->program.spec.tasks[index_of(entity)];
}

static takt_receipt_t post(takt_event_kind_t kind, uint64_t entity, uint64_t job, uint64_t value) {
    follow();
    const uint64_t receipt = takt_domain_post(
        address_of(domain), (uint64_t)kind << TAKT_DOMAIN_KIND_SHIFT | entity, job, value, now);
    receipts[receipt]++;
    return (takt_receipt_t)receipt;
}

/* The thread that runs requests something. It has learned of a job that has ended without it at the next decision. */
static void request(takt_event_kind_t kind, uint64_t value) {
    const takt_receipt_t receipt =
        post(kind, TAKT_DOMAIN_OF_THREAD | running, thread_of(running)->job, value);
    MUST(receipt == TAKT_RECEIPT_RECEIVED || chaos != 0);
}

/* Returns the demand of job `number`, which has the parameters of `change`. */
static takt_duration_t demand_of(uint64_t entity, uint32_t number, uint32_t change) {
    const takt_task_spec_t *task = task_of(entity);
    const takt_change_spec_t *adopted =
        change != TAKT_NO_CHANGE ? &domain->program.spec.changes[change] : NULL;
    const takt_stream_t *demands = adopted != NULL ? adopted->demands : task->demands;
    if (demands == NULL) {
        return adopted != NULL ? adopted->demand : task->demand;
    }
    return demands->values[number % demands->count];
}

static void begin(uint64_t entity, uint32_t number, uint32_t change) {
    thread_t *thread = thread_of(entity);
    thread->has_begun = true;
    thread->is_about_to_lock = false;
    thread->job = number;
    takt_work_begin(&thread->work, task_of(entity), demand_of(entity, number, change));
}

/* The thread that was decided for runs: it goes on, or begins the job that the decision names. */
static void go_on(void) {
    thread_t *thread = thread_of(running);
    MUST(domain->answer.entity == running && (state_of(running) & TAKT_DOMAIN_RUNS) != 0);
    if (!thread->has_begun || thread->job != domain->answer.job) {
        begin(running, domain->answer.job, domain->answer.change);
    }
    if (thread->is_dead) {
        thread->work.left = 0;
        thread->work.after = 0;
    }
}

static void take(uint64_t expected) {
    running = takt_domain_take(address_of(domain), now);
    MUST(running == expected || chaos != 0);
    if (running != TAKT_NO_ENTITY) {
        go_on();
    }
}

static bool is_absent(uint64_t entity) {
    return entity != TAKT_NO_ENTITY && thread_of(entity)->sleeps_until != 0;
}

/* An event of the current job of `entity` that its thread has not requested. */
static bool post_implied(takt_event_kind_t kind, uint64_t entity) {
    const takt_entity_t *found = takt_system_entity(&domain->system, (uint32_t)entity);
    return post(kind, entity, found->task->job.number, now) == TAKT_RECEIPT_RECEIVED;
}

/* The thread of the selected entity is absent: its job is blocked or, if core does not let it, ended in time. Returns
 * whether another entity may be selected. */
static bool put_off(uint64_t absent) {
    thread_t *thread = thread_of(absent);
    thread->absent_since = thread->absent_since != 0 ? thread->absent_since : now + 1u;
    const takt_duration_t absence = now + 1u - thread->absent_since;
    if (absence < GRACE || post_implied(TAKT_EVENT_BLOCK, absent)) {
        return absence >= GRACE;
    }
    if (absence < PATIENCE) {
        return false;
    }
    take(absent);
    return running != absent || post_implied(TAKT_EVENT_COMPLETE, absent);
}

/* True if a late take has chosen an absent thread that is to be put off. */
static bool has_chosen_absent(void) {
    const takt_instant_t since = is_absent(running) ? thread_of(running)->absent_since : 1;
    return since == 0 || (is_absent(running) && now + 1u - since >= PATIENCE);
}

/* The thread of the foreseen entity wakes, and runs ahead of the domain. Returns false if there is none. */
static bool runs_ahead(void) {
    const uint64_t entity = foresight.entity;
    const bool has_come =
        foresight.after == TAKT_NO_ENTITY ? now >= foresight.release : ended != TAKT_NO_ENTITY;
    if (is_ahead || entity == TAKT_NO_ENTITY || !has_come || now >= foresight.until || is_absent(entity) ||
        thread_of(entity)->is_dead) {
        return is_ahead && now < foresight.until && now - ahead_since < foresight.budget;
    }
    if (!thread_of(entity)->has_begun || thread_of(entity)->job != foresight.job) {
        begin(entity, foresight.job, foresight.change - 1u); /* 0 is TAKT_NO_CHANGE */
    }
    running = entity;
    is_ahead = true;
    ahead_since = now;
    aheads++;
    return true;
}

/* As the kernel does in each call of the scheduler. */
static void schedule(void) {
    if (runs_ahead()) {
        return;
    }
    follow();
    do {
        uint64_t wanted = takt_domain_peek(address_of(domain), now);
        while (is_absent(wanted) && put_off(wanted)) {
            wanted = takt_domain_peek(address_of(domain), now);
        }
        MUST(takt_domain_next(address_of(domain)) > now);
        foresee(wanted);
        if (domain->is_outdated) {
            now += lateness();
            take(wanted);
        }
    } while (takt_domain_next(address_of(domain)) <= now || has_chosen_absent());
    foresee(running);
}

/* ---- what a job does ---------------------------------------------------------------------------------- */

/* Unlocks of one instant are one event for the waiting jobs. */
static void unlock(thread_t *thread, const takt_item_t *item) {
    const takt_task_spec_t *task = task_of(running);
    while (takt_work_unlocks_now(&thread->work, task)) {
        request(TAKT_EVENT_UNLOCK, item->ticks);
        item = takt_work_pass(&thread->work, task);
    }
    request(TAKT_EVENT_UNLOCK, item->ticks);
}

/* Returns false if there is no event: nothing preempts a preemptive job at a point. */
static bool pass_milestone(thread_t *thread) {
    const takt_item_t *item = takt_work_pass(&thread->work, task_of(running));
    const bool has_points = (state_of(running) & TAKT_DOMAIN_HAS_POINTS) != 0;
    switch (item->kind) {
    case TAKT_ITEM_POINT:
    case TAKT_ITEM_OPTIONAL_POINT:
        if (has_points) {
            request(item->kind == TAKT_ITEM_POINT ? TAKT_EVENT_POINT : TAKT_EVENT_OPTIONAL_POINT, now);
        }
        return has_points;
    case TAKT_ITEM_SUSPEND:
        request(TAKT_EVENT_SUSPEND, now + item->ticks);
        return true;
    case TAKT_ITEM_LOCK:
        request(TAKT_EVENT_LOCK, item->ticks);
        return true;
    default:
        unlock(thread, item);
        return true;
    }
}

/* Items due at the instant of a lock are handled before it. */
static bool waits_before_lock(thread_t *thread) {
    const bool is_lock = takt_work_kind(&thread->work, task_of(running)) == TAKT_ITEM_LOCK;
    thread->is_about_to_lock = is_lock && !thread->is_about_to_lock;
    return thread->is_about_to_lock;
}

/* If what comes next was foreseen, the domain learns of it later. */
static void end_job(void) {
    if (!is_ahead && foresight.entity != TAKT_NO_ENTITY && foresight.after == running &&
        now < foresight.until && !is_absent(foresight.entity) && !thread_of(foresight.entity)->is_dead) {
        ended = running;
        ended_at = now;
    } else {
        request(TAKT_EVENT_COMPLETE, now);
    }
}

/* The thread that runs has reached a milestone. Returns false if that is no event. */
static bool act(void) {
    thread_t *thread = thread_of(running);
    if (thread->work.after == 0) {
        thread->has_begun = false;
        end_job();
        return true;
    }
    return waits_before_lock(thread) || pass_milestone(thread);
}

static bool is_at_milestone(void) {
    return running != TAKT_NO_ENTITY && !is_absent(running) && thread_of(running)->work.left == 0;
}

/* ---- what goes wrong ---------------------------------------------------------------------------------- */

/* The thread that runs sleeps: in a page fault, stopped, or with a request for any job. The kernel says that it blocks
 * unless it has handed over what ends or suspends the job. */
static void sleep_in_any_state(void) {
    thread_t *thread = thread_of(running);
    const takt_event_kind_t kinds[] = {TAKT_EVENT_COMPLETE, TAKT_EVENT_SUSPEND};
    const takt_event_kind_t kind = happens(2) ? kinds[draw(2)] : (takt_event_kind_t)draw(16);
    const uint64_t job = happens(2) ? thread->job : draw(4);
    const bool is_handed_over = kind == TAKT_EVENT_COMPLETE || kind == TAKT_EVENT_SUSPEND;
    const bool is_received = is_handed_over && post(kind, TAKT_DOMAIN_OF_THREAD | running, job,
                                                    now + draw(SHORT_SLEEP)) == TAKT_RECEIPT_RECEIVED;
    const uint64_t state = state_of(running);
    if (!is_received && (state & TAKT_DOMAIN_HAS_JOB) != 0 && (state & TAKT_DOMAIN_BLOCKED) == 0) {
        (void)post_implied(TAKT_EVENT_BLOCK, running); /* core may refuse it */
    }
    thread->sleeps_until = now + 1u + draw(happens(4) ? LONG_SLEEP : SHORT_SLEEP);
    thread->absent_since = 0;
}

static void end_sleeps(void) {
    for (uint32_t i = 0; i < domain->system.task_count; i++) {
        const uint64_t entity = 1u + domain->system.server_count + i;
        if (threads[i].sleeps_until != 0 && threads[i].sleeps_until <= now) {
            threads[i].sleeps_until = 0;
            threads[i].absent_since = 0;
            if ((state_of(entity) & TAKT_DOMAIN_BLOCKED) != 0) {
                MUST(post(TAKT_EVENT_WAKE, entity, threads[i].job, now) == TAKT_RECEIPT_RECEIVED);
            }
        }
    }
}

/* The instant at which a sleep ends, or the patience with an absent thread. */
static takt_instant_t next_of_sleeps(void) {
    takt_instant_t first = TAKT_NEVER;
    for (uint32_t i = 0; i < domain->system.task_count; i++) {
        if (threads[i].sleeps_until != 0) {
            first = takt_least_of(first, threads[i].sleeps_until);
        }
    }
    if (is_absent(running)) {
        const takt_instant_t since = thread_of(running)->absent_since;
        const takt_duration_t absence = now + 1u - since;
        MUST(since != 0 && absence <= PATIENCE);
        first = takt_least_of(first, since - 1u + (absence < GRACE ? GRACE : PATIENCE));
    }
    return first;
}

/* Events that a program has no reason for. What core receives of them is a job's own, so that its work goes on as if it
 * had meant it; but for a completion. */
static void send_nonsense(void) {
    static const takt_event_kind_t kinds[] = {
        TAKT_EVENT_YIELD,    TAKT_EVENT_LOCK,   TAKT_EVENT_UNLOCK, TAKT_EVENT_POINT,    TAKT_EVENT_WITHDRAW,
        TAKT_EVENT_SUSPEND,  TAKT_EVENT_WAKE,   TAKT_EVENT_BLOCK,  TAKT_EVENT_COMPLETE, TAKT_EVENT_ARRIVAL,
        TAKT_EVENT_PRIORITY, TAKT_EVENT_CREATE, TAKT_EVENT_CHANGE};
    const uint64_t most = 3u + domain->system.server_count + domain->system.task_count;
    const takt_event_kind_t kind =
        happens(8) ? (takt_event_kind_t)draw(40) : kinds[draw(sizeof kinds / sizeof *kinds)];
    const uint64_t entity = happens(9) ? UINT32_MAX - draw(2) : draw(most);
    const uint64_t job = draw(4), value = happens(4) ? UINT64_MAX - draw(3) : draw(now + 8u);
    const bool is_of_thread = happens(2);
    const takt_demand_t demand = {draw(now + 8u), draw(now + 8u), draw(now + 8u), draw(3)};
    const bool has_demand = is_of_thread && kind == TAKT_EVENT_CHANGE;
    (void)post(kind, is_of_thread ? entity | TAKT_DOMAIN_OF_THREAD : entity, job,
               has_demand ? (uint64_t)(uintptr_t)&demand : value);
}

/* Ends the sleeps of this instant, begins new ones. */
static void go_wrong(void) {
    if (chaos == 0) {
        return;
    }
    end_sleeps();
    if (running != TAKT_NO_ENTITY && happens(60)) {
        thread_of(running)->is_dead = true;
    }
    const bool is_executing = running != TAKT_NO_ENTITY && !is_absent(running);
    if (is_executing && (state_of(running) & TAKT_DOMAIN_RUNS) != 0 && happens(6)) {
        sleep_in_any_state();
    }
    while (happens(3)) {
        send_nonsense();
    }
}

/* ---- time --------------------------------------------------------------------------------------------- */

/* When the domain has to be called at the latest. */
static takt_instant_t next_call(void) {
    return is_ahead ? call_of_foresight() : takt_domain_next(address_of(domain));
}

/* Until the next event of a job or of the domain. */
static takt_instant_t next_instant(void) {
    takt_instant_t next = next_call();
    next = next != TAKT_NEVER ? next + lateness() : next;
    next = takt_least_of(next, next_of_sleeps());
    if (running != TAKT_NO_ENTITY && !is_absent(running)) {
        next = takt_least_of(next, now + thread_of(running)->work.left);
    }
    MUST(next > now || chaos != 0);
    return takt_least_of(next > now ? next : now + 1u, domain->program.horizon);
}

static void advance(void) {
    const takt_instant_t next = next_instant();
    if (running != TAKT_NO_ENTITY && !is_absent(running)) {
        thread_t *thread = thread_of(running);
        thread->work.left -= takt_least_of(thread->work.left, next - now);
    }
    now = next;
}

/* Passes the milestones at this instant up to the first event. */
static bool act_if_at_milestone(void) {
    bool is_event = false;
    while (!is_event && is_at_milestone()) {
        is_event = act();
    }
    return is_event;
}

static void run(void) {
    go_wrong();
    schedule();
    while (now < domain->program.horizon) {
        while (now < domain->program.horizon && act_if_at_milestone()) {
            schedule();
        }
        advance();
        if (!act_if_at_milestone()) {
            go_wrong();
        }
        schedule();
    }
}

int main(int argc, char **argv) {
    MUST(argc == 5);
    chaos = strtoull(argv[3], NULL, 10);
    build(argv[1], strtoull(argv[4], NULL, 10));
    run();
    follow();
    FILE *file = fopen(argv[2], "wb");
    const uint64_t count = takt_domain_end(address_of(domain), now);
    MUST(file != NULL && fwrite(domain->log.records, sizeof(takt_record_t), count, file) == count);
    MUST(fclose(file) == 0 && domain->refused == 0);
    for (uint32_t receipt = 0; receipt < RECEIPTS; receipt++) {
        printf("%" PRIu32 "\n", receipts[receipt]);
    }
    printf("%" PRIu32 "\n", aheads);
    return 0;
}
