/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Threads that do what a script says, on the port to a Linux process in virtual time. tests/support/kernel_model.py draws
 * scripts and says what must be printed.
 *
 * Input, numbers and nothing else: whether all is traced; the policy of the root; the horizon; the number of servers, per
 * server its kind, its policy, its period, budget, offset, priority and parent, 0 for the root; per
 * object whether waiters are FIFO and its size (units of semaphores, capacity of queues, blocks of pools); per mutex its protocol, its ceiling and its
 * server, 0 for the root; per alarm and per interrupt its operation; per interrupt its instant; the number of threads; per
 * thread whether it exists from the start, its priority, its server, its time slice or 0, the number of its operations, the period of its jobs, and
 * the operations. A period of 0: it executes no jobs; else there follow their relative deadline, the number of operations of
 * a job, whether a started job is not preempted, what is done about a late one, the offset, and whether the jobs arrive by
 * interrupts, with the period as their least separation. An operation is
 * five numbers: what, which object, and three arguments. An argument of NEVER means for ever.
 *
 * Output: a line for every operation that has ended: instant, thread, which operation, status, value; for a job that ends
 * the number of operations that are over, the status of its end and its number. A thread that is created
 * anew goes on with its next operation. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/alarm.h"
#include "kernel/condition.h"
#include "kernel/flags.h"
#include "kernel/kernel.h"
#include "kernel/messages.h"
#include "kernel/recursive.h"
#include "kernel/pool.h"
#include "kernel/semaphore.h"
#include "kernel/slice.h"
#include "kernel/sporadic.h"
#include "policy/table.h"
#include "port/posix/posix.h"

enum {
    SERVERS = 4,
    OBJECTS = 2, /* of every kind but mutexes */
    MUTEXES = 4,
    ALARMS = 3,
    INTERRUPTS = 6,
    THREADS = 6,
    OPERATIONS = 40,
    CAPACITY = 4,
    HORIZON_INTERRUPT = TAKT_POSIX_INTERRUPTS - 1,
    STACK_BYTES = 2 * TAKT_STACK_BYTES_MIN,
};
#define NEVER 999999u

typedef struct operation {
    uint32_t what, object, a, b, c;
} operation_t;

typedef struct message {
    uint32_t value, complement;
} message_t;

typedef struct actor {
    union {
        takt_thread_t thread;
        takt_periodic_thread_t periodic; /* begins with a thread, as the next one */
        takt_sporadic_thread_t sporadic;
        takt_sliced_thread_t sliced;
    };
    takt_task_extension_t extension;
    takt_arrival_t arrivals[CAPACITY];
    uint64_t stack[STACK_BYTES / sizeof(uint64_t)];
    bool exists_from_start, is_suspended, is_limited, is_sporadic;
    takt_on_miss_t on_miss;
    uint32_t priority, server, slice, count, next;
    uint32_t period, deadline, operations_of_job, offset;
    operation_t operations[OPERATIONS];
    void *held[OBJECTS][CAPACITY]; /* blocks */
    uint32_t held_count[OBJECTS];
    uint32_t locked; /* mutexes that it holds */
} actor_t;

static actor_t actors[THREADS];
static uint32_t actor_count;
static takt_semaphore_t semaphores[OBJECTS];
static takt_messages_t queues[OBJECTS];
static message_t places[OBJECTS][CAPACITY];
static takt_pool_t pools[OBJECTS];
static uint64_t blocks[OBJECTS][CAPACITY][3];
static takt_flags_t flags[OBJECTS];
static takt_condition_t conditions[OBJECTS];
static takt_recursive_mutex_t mutexes[MUTEXES];
static takt_thread_server_t servers[SERVERS];
static takt_server_returns_t returns[SERVERS];
static takt_alarm_t alarms[ALARMS];
static operation_t alarm_operations[ALARMS], interrupt_operations[INTERRUPTS];
static takt_instant_t interrupt_instants[INTERRUPTS];
static takt_trace_t trace;

static void must(bool condition, const char *what) {
    if (!condition) {
        (void)printf("wrong: %s\n", what);
        takt_posix_exit(1);
    }
}

static takt_duration_t duration_of(uint32_t argument) { return argument == NEVER ? TAKT_NEVER : argument; }

static void tell(const char *who, uint32_t number, uint32_t which, takt_status_t status, uint64_t value) {
    (void)printf("%" PRIu64 " %s%u %u %d %" PRIu64 "\n", takt_kernel_now(), who, number, which, (int)status,
                 value);
}

/* ---- operations of threads ---------------------------------------------------------------------- */

typedef takt_status_t (*act_t)(actor_t *self, const operation_t *operation, uint64_t *value);

static void run(void *argument);

/* 0: the root. */
static takt_thread_server_t *server_of(uint32_t number) { return number > 0 ? &servers[number - 1u] : NULL; }

static void run_jobs(void *argument);

static takt_status_t create_jobs(actor_t *actor, const takt_thread_parameters_t *thread) {
    takt_job_parameters_t parameters = {
        .thread = *thread,
        .period = actor->period,
        .relative_deadline = actor->deadline,
        .wcet = 1u + actor->deadline / 2u,
        .offset = actor->is_sporadic ? 0u : actor->offset,
        .is_limited = actor->is_limited,
        .on_miss = actor->on_miss,
    };
    if (actor->is_sporadic) {
        parameters.arrivals = actor->arrivals;
        parameters.capacity = CAPACITY;
        return takt_sporadic_thread_create(&actor->sporadic, &parameters);
    }
    if (actor->on_miss != TAKT_ON_MISS_CONTINUE) {
        parameters.extension = &actor->extension;
    }
    return takt_periodic_thread_create(&actor->periodic, &parameters);
}

static takt_status_t create(uint32_t number) {
    actor_t *actor = &actors[number];
    const takt_thread_parameters_t parameters = {.name = "actor",
                                                 .entry = actor->period > 0 ? run_jobs : run,
                                                 .argument = actor,
                                                 .stack = actor->stack,
                                                 .stack_bytes = STACK_BYTES,
                                                 .priority = actor->priority,
                                                 .server = server_of(actor->server),
                                                 .is_suspended = actor->is_suspended};
    if (actor->period > 0) {
        return create_jobs(actor, &parameters);
    }
    return actor->slice > 0 ? takt_sliced_thread_create(&actor->sliced, &parameters, actor->slice)
                            : takt_thread_create(&actor->thread, &parameters);
}

static takt_status_t act_work(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    takt_port_work(operation->a);
    return TAKT_OK;
}

static takt_status_t act_delay(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_thread_delay(operation->a);
}

/* Until so many ticks after the one before the last. */
static takt_status_t act_until(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    const takt_instant_t instant = takt_kernel_now() + operation->a;
    return takt_thread_delay_until(instant > 2 ? instant - 2 : 0);
}

static takt_status_t act_give(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_semaphore_give(&semaphores[operation->object]);
}

static takt_status_t act_signal(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_semaphore_signal(&semaphores[operation->object]);
}

static takt_status_t act_take(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    takt_semaphore_t *semaphore = &semaphores[operation->object];
    return operation->a == NEVER ? takt_semaphore_take(semaphore)
                                 : takt_semaphore_take_for(semaphore, operation->a);
}

static takt_status_t act_send(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    takt_messages_t *queue = &queues[operation->object];
    const message_t message = {operation->b, ~operation->b};
    if (operation->a == NEVER) {
        return takt_messages_send(queue, &message);
    }
    return operation->a == 0 ? takt_messages_try_send(queue, &message)
                             : takt_messages_send_for(queue, &message, operation->a);
}

static takt_status_t act_receive(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self;
    takt_messages_t *queue = &queues[operation->object];
    message_t message = {0, ~0u};
    takt_status_t status;
    if (operation->a == NEVER) {
        status = takt_messages_receive(queue, &message);
    } else if (operation->a == 0) {
        status = takt_messages_try_receive(queue, &message);
    } else {
        status = takt_messages_receive_for(queue, &message, operation->a);
    }
    must(message.value == ~message.complement, "a message is torn");
    *value = message.value;
    return status;
}

static takt_status_t act_allocate(actor_t *self, const operation_t *operation, uint64_t *value) {
    takt_pool_t *pool = &pools[operation->object];
    void *block = NULL;
    const takt_status_t status = operation->a == NEVER ? takt_pool_allocate(pool, &block)
                                                       : takt_pool_allocate_for(pool, &block, operation->a);
    must((block != NULL) == (status == TAKT_OK), "a block and a status that do not fit");
    if (block != NULL) {
        *value = (uint64_t)((uint64_t(*)[3])block - blocks[operation->object]);
        must(*value < CAPACITY, "no block of the pool");
        self->held[operation->object][self->held_count[operation->object]++] = block;
        for (uint32_t word = 0; word < 3; word++) {
            ((uint64_t *)block)[word] = UINT64_MAX;
        }
    }
    return status;
}

static takt_status_t act_free(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)value;
    uint32_t *count = &self->held_count[operation->object];
    if (*count == 0) {
        return TAKT_ERROR_BLOCK;
    }
    return takt_pool_free(&pools[operation->object], self->held[operation->object][--*count]);
}

static takt_status_t act_set(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_flags_set(&flags[operation->object], operation->a);
}

static takt_status_t act_clear(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self;
    const takt_status_t status = takt_flags_clear(&flags[operation->object], operation->a);
    *value = takt_flags_get(&flags[operation->object]);
    return status;
}

static takt_status_t act_await(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self;
    uint32_t bits = ~0u;
    const takt_status_t status = takt_flags_wait_for(&flags[operation->object], operation->b, operation->c,
                                                     &bits, duration_of(operation->a));
    *value = bits;
    return status;
}

static takt_status_t act_suspend(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_thread_suspend(&actors[operation->object].thread);
}

static takt_status_t act_resume(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_thread_resume(&actors[operation->object].thread);
}

static takt_status_t act_notify(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_thread_notify(&actors[operation->object].thread, operation->a);
}

static takt_status_t act_listen(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self;
    uint32_t bits = ~0u;
    const takt_status_t status = takt_notification_take_for(&bits, duration_of(operation->a));
    *value = bits;
    return status;
}

static takt_status_t act_delete(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_thread_delete(&actors[operation->object].thread);
}

static takt_status_t act_create(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    actors[operation->object].is_suspended = operation->b != 0 && actors[operation->object].period == 0;
    return create(operation->object);
}

static takt_status_t act_alarm(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    takt_alarm_t *alarm = &alarms[operation->object];
    return operation->b == 0 ? takt_alarm_start(alarm, operation->a)
                             : takt_alarm_start_periodic(alarm, operation->a, operation->b);
}

static takt_status_t act_stop(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self;
    const takt_status_t status = takt_alarm_remaining(&alarms[operation->object], value);
    must(status == TAKT_OK, "the time that is left of an alarm");
    return takt_alarm_stop(&alarms[operation->object]);
}

static takt_status_t act_priority(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_thread_set_priority(&actors[operation->object].thread, operation->a);
}

static takt_status_t act_lock(actor_t *self, const operation_t *operation, uint64_t *value) {
    takt_mutex_t *mutex = &mutexes[operation->object].mutex;
    const takt_status_t status =
        operation->a == NEVER ? takt_mutex_lock(mutex) : takt_mutex_lock_for(mutex, operation->a);
    self->locked += status == TAKT_OK;
    *value = takt_mutex_holder(mutex) == &self->thread;
    must(status != TAKT_OK || *value == 1, "a mutex that is not locked");
    return status;
}

static takt_status_t act_unlock(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)value;
    const takt_status_t status = takt_mutex_unlock(&mutexes[operation->object].mutex);
    self->locked -= status == TAKT_OK;
    return status;
}

static bool holds(const actor_t *self, const takt_recursive_mutex_t *mutex) {
    return takt_mutex_holder(&mutex->mutex) == &self->thread;
}

static takt_status_t act_relock(actor_t *self, const operation_t *operation, uint64_t *value) {
    takt_recursive_mutex_t *mutex = &mutexes[operation->object];
    const bool is_held = holds(self, mutex);
    const takt_status_t status = operation->a == NEVER ? takt_recursive_mutex_lock(mutex)
                                                       : takt_recursive_mutex_lock_for(mutex, operation->a);
    self->locked += status == TAKT_OK && !is_held;
    *value = takt_recursive_mutex_depth(mutex);
    return status;
}

static takt_status_t act_end_lock(actor_t *self, const operation_t *operation, uint64_t *value) {
    takt_recursive_mutex_t *mutex = &mutexes[operation->object];
    const bool is_held = holds(self, mutex);
    const takt_status_t status = takt_recursive_mutex_unlock(mutex);
    self->locked -= is_held && !holds(self, mutex);
    *value = takt_recursive_mutex_depth(mutex);
    return status;
}

static takt_status_t act_abort(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_thread_abort_wait(&actors[operation->object].thread);
}

static takt_status_t act_monitor(actor_t *self, const operation_t *operation, uint64_t *value) {
    takt_mutex_t *mutex = &mutexes[operation->object].mutex;
    takt_condition_t *condition = &conditions[operation->b];
    const takt_status_t status = operation->a == NEVER
                                     ? takt_condition_wait(condition, mutex)
                                     : takt_condition_wait_for(condition, mutex, operation->a);
    *value = takt_mutex_holder(mutex) == &self->thread;
    must(status < 0 || *value == 1, "a mutex that is not locked again");
    return status;
}

static takt_status_t act_notify_one(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_condition_notify_one(&conditions[operation->object]);
}

static takt_status_t act_notify_all(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    return takt_condition_notify_all(&conditions[operation->object]);
}

/* Works, then takes a unit before an interrupt that is due at the end of the work. */
static takt_status_t act_consume(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    takt_port_work(operation->b);
    return act_take(self, operation, value);
}

/* Creates a thread anew, in the server `a`. */
static takt_status_t act_move(actor_t *self, const operation_t *operation, uint64_t *value) {
    actors[operation->object].server = operation->a;
    return act_create(self, operation, value);
}

/* Gives a thread a deadline in `a` ticks, or none. */
static takt_status_t act_deadline(actor_t *self, const operation_t *operation, uint64_t *value) {
    (void)self, (void)value;
    takt_thread_t *thread = &actors[operation->object].thread;
    return operation->a != 0 ? takt_thread_set_relative_deadline(thread, operation->a)
                             : takt_thread_set_deadline(thread, TAKT_NEVER);
}

/* In the order of kernel_model.py. */
static const act_t acts[] = {
    act_work,       act_delay,      act_give,    act_signal,   act_take,     act_send,    act_receive,
    act_allocate,   act_free,       act_set,     act_clear,    act_await,    act_suspend, act_resume,
    act_notify,     act_listen,     act_delete,  act_create,   act_alarm,    act_stop,    act_priority,
    act_lock,       act_unlock,     act_relock,  act_end_lock, act_until,    act_abort,   act_monitor,
    act_notify_one, act_notify_all, act_consume, act_move,     act_deadline,
};

static void act(actor_t *self) {
    const uint32_t which = self->next++;
    uint64_t value = 0;
    const takt_status_t status = acts[self->operations[which].what](self, &self->operations[which], &value);
    tell("t", (uint32_t)(self - actors), which, status, value);
    takt_port_sync();
}

static void run_jobs(void *argument) {
    actor_t *self = argument;
    for (;;) {
        for (uint32_t left = self->operations_of_job; left > 0 && self->next < self->count; left--) {
            act(self);
        }
        const takt_status_t status = takt_wait_next_period();
        tell("j", (uint32_t)(self - actors), self->next, status, takt_job_number());
        takt_port_sync();
    }
}

static void run(void *argument) {
    actor_t *self = argument;
    self->locked = 0; /* one that was deleted at the end of an unlock had not counted that */
    while (self->next < self->count) {
        act(self);
    }
    while (self->locked != 0) {
        (void)takt_thread_suspend(&self->thread); /* a holder does not end */
    }
}

/* ---- operations of interrupts ------------------------------------------------------------------- */

typedef takt_status_t (*isr_act_t)(const operation_t *operation, uint64_t *value);

static takt_status_t isr_give(const operation_t *operation, uint64_t *value) {
    (void)value;
    return takt_semaphore_give_from_isr(&semaphores[operation->object]);
}

static takt_status_t isr_signal(const operation_t *operation, uint64_t *value) {
    (void)value;
    return takt_semaphore_signal_from_isr(&semaphores[operation->object]);
}

static takt_status_t isr_send(const operation_t *operation, uint64_t *value) {
    (void)value;
    const message_t message = {operation->b, ~operation->b};
    return takt_messages_send_from_isr(&queues[operation->object], &message);
}

static takt_status_t isr_receive(const operation_t *operation, uint64_t *value) {
    message_t message = {0, ~0u};
    const takt_status_t status = takt_messages_receive_from_isr(&queues[operation->object], &message);
    *value = message.value;
    return status;
}

static takt_status_t isr_set(const operation_t *operation, uint64_t *value) {
    (void)value;
    return takt_flags_set_from_isr(&flags[operation->object], operation->a);
}

static takt_status_t isr_resume(const operation_t *operation, uint64_t *value) {
    (void)value;
    return takt_thread_resume_from_isr(&actors[operation->object].thread);
}

static takt_status_t isr_notify(const operation_t *operation, uint64_t *value) {
    (void)value;
    return takt_thread_notify_from_isr(&actors[operation->object].thread, operation->a);
}

/* A block that was handed out goes back if there is one, that of a pool without waiters. */
static takt_status_t isr_borrow(const operation_t *operation, uint64_t *value) {
    void *block;
    const takt_status_t status = takt_pool_try_allocate(&pools[operation->object], &block);
    *value = takt_pool_count(&pools[operation->object]);
    return status == TAKT_OK ? takt_pool_free_from_isr(&pools[operation->object], block) : status;
}

/* The number of the holder, 1 for the first thread; 0: none. */
static takt_status_t isr_holder(const operation_t *operation, uint64_t *value) {
    takt_thread_t *holder = takt_mutex_holder(&mutexes[operation->object].mutex);
    *value = holder != NULL ? (uint64_t)(TAKT_CONTAINER_OF(holder, actor_t, thread) - actors) + 1u : 0u;
    return TAKT_OK;
}

static takt_status_t isr_notify_one(const operation_t *operation, uint64_t *value) {
    (void)value;
    return takt_condition_notify_one_from_isr(&conditions[operation->object]);
}

static takt_status_t isr_notify_all(const operation_t *operation, uint64_t *value) {
    (void)value;
    return takt_condition_notify_all_from_isr(&conditions[operation->object]);
}

/* Of a thread that executes jobs. */
static takt_status_t isr_arrive(const operation_t *operation, uint64_t *value) {
    (void)value;
    actor_t *actor = &actors[operation->object];
    takt_job_thread_t *thread = actor->is_sporadic ? &actor->sporadic.job : &actor->periodic.job;
    return takt_job_arrive_from_isr(thread, takt_kernel_now());
}

static const isr_act_t isr_acts[] = {
    isr_give,   isr_signal, isr_send,   isr_receive,    isr_set,        isr_resume,
    isr_notify, isr_borrow, isr_holder, isr_notify_one, isr_notify_all, isr_arrive,
};

static void act_in_isr(const char *who, uint32_t number, const operation_t *operation) {
    uint64_t value = 0;
    const takt_status_t status = isr_acts[operation->what](operation, &value);
    tell(who, number, 0, status, value);
}

static void on_alarm(void *argument) {
    const operation_t *operation = argument;
    act_in_isr("a", (uint32_t)(operation - alarm_operations), operation);
}

#define ON_INTERRUPT(number) \
    static void on_interrupt_##number(void) { act_in_isr("i", number, &interrupt_operations[number]); }
ON_INTERRUPT(0)
ON_INTERRUPT(1)
ON_INTERRUPT(2)
ON_INTERRUPT(3)
ON_INTERRUPT(4)
ON_INTERRUPT(5)

static void (*const on_interrupt[INTERRUPTS])(void) = {
    on_interrupt_0, on_interrupt_1, on_interrupt_2, on_interrupt_3, on_interrupt_4, on_interrupt_5,
};

static void on_horizon(void) { takt_posix_exit(0); }

void takt_posix_stalled(void) { takt_posix_exit(0); }

/* ---- input -------------------------------------------------------------------------------------- */

static uint32_t read_number(void) {
    uint32_t number = 0;
    must(scanf("%" SCNu32, &number) == 1, "the script ends early");
    return number;
}

static operation_t read_operation(void) {
    operation_t operation;
    operation.what = read_number();
    operation.object = read_number();
    operation.a = read_number();
    operation.b = read_number();
    operation.c = read_number();
    return operation;
}

static const takt_policy_t *read_policy(void) {
    static const takt_policy_t *const policies[] = {&takt_policy_fp, &takt_policy_edf, &takt_policy_llf};
    return policies[read_number()];
}

static const takt_server_kind_t *read_kind(void) {
    static const takt_server_kind_t *const kinds[] = {
        &takt_server_deferrable,      &takt_server_idling, &takt_server_polling, &takt_server_sporadic,
        &takt_server_sporadic_strict, &takt_server_cbs,    &takt_server_hard_cbs};
    return kinds[read_number()];
}

static void read_server(takt_thread_server_t *server) {
    takt_thread_server_parameters_t parameters = {.kind = read_kind()};
    parameters.policy = read_policy();
    parameters.period = read_number();
    parameters.budget = read_number();
    parameters.offset = read_number();
    parameters.priority = read_number();
    parameters.parent = server_of(read_number());
    parameters.returns = parameters.kind->has_returns ? &returns[server - servers] : NULL;
    must(takt_thread_server_create(server, &parameters) == TAKT_OK, "a server");
}

static void read_servers(void) {
    const uint32_t count = read_number();
    must(count <= SERVERS, "the number of servers");
    for (uint32_t number = 0; number < count; number++) {
        read_server(&servers[number]);
    }
}

static void read_objects(void) {
    for (uint32_t object = 0; object < OBJECTS; object++) {
        const bool is_fifo = read_number() != 0;
        must((is_fifo ? takt_semaphore_init_fifo : takt_semaphore_init)(&semaphores[object],
                                                                        (int32_t)read_number()) == TAKT_OK,
             "a semaphore");
        must((is_fifo ? takt_messages_init_fifo : takt_messages_init)(
                 &queues[object], places[object], sizeof(message_t), read_number()) == TAKT_OK,
             "a queue");
        must((is_fifo ? takt_pool_init_fifo : takt_pool_init)(
                 &pools[object], blocks[object], sizeof blocks[object][0], read_number()) == TAKT_OK,
             "a pool");
        must((is_fifo ? takt_flags_init_fifo : takt_flags_init)(&flags[object]) == TAKT_OK, "flags");
        must((is_fifo ? takt_condition_init_fifo : takt_condition_init)(&conditions[object]) == TAKT_OK,
             "a condition");
    }
    for (uint32_t number = 0; number < MUTEXES; number++) {
        takt_mutex_parameters_t parameters = {.protocol = (takt_protocol_t)read_number()};
        parameters.ceiling = read_number();
        parameters.server = server_of(read_number());
        must(takt_recursive_mutex_init(&mutexes[number], &parameters) == TAKT_OK, "a mutex");
    }
    for (uint32_t number = 0; number < ALARMS; number++) {
        alarm_operations[number] = read_operation();
        must(takt_alarm_init(&alarms[number], on_alarm, &alarm_operations[number]) == TAKT_OK, "an alarm");
    }
}

static void read_interrupts(void) {
    for (uint32_t number = 0; number < INTERRUPTS; number++) {
        interrupt_operations[number] = read_operation();
        interrupt_instants[number] = read_number();
        takt_posix_interrupt_enable(number, on_interrupt[number]);
        takt_posix_interrupt_announce(number, interrupt_instants[number]);
    }
}

static void read_jobs(actor_t *actor) {
    actor->period = read_number();
    if (actor->period > 0) {
        actor->exists_from_start = true;
        actor->deadline = read_number();
        actor->operations_of_job = read_number();
        actor->is_limited = read_number() != 0;
        actor->on_miss = (takt_on_miss_t)read_number();
        actor->offset = read_number();
        actor->is_sporadic = read_number() != 0;
    }
}

static void read_actors(void) {
    actor_count = read_number();
    must(actor_count <= THREADS, "the number of threads");
    for (uint32_t number = 0; number < actor_count; number++) {
        actor_t *actor = &actors[number];
        actor->exists_from_start = read_number() != 0;
        actor->priority = read_number();
        actor->server = read_number();
        actor->slice = read_number();
        actor->count = read_number();
        must(actor->count <= OPERATIONS, "the number of operations");
        read_jobs(actor);
        for (uint32_t which = 0; which < actor->count; which++) {
            actor->operations[which] = read_operation();
        }
    }
}

static void ignore(takt_trace_t *to, const takt_record_t *record) { (void)to, (void)record; }

int main(void) {
    const bool is_traced = read_number() != 0;
    must(takt_kernel_init(read_policy()) == TAKT_OK, "init");
    trace.record = ignore;
    must(!is_traced || takt_kernel_trace_to(&trace) == TAKT_OK, "trace");
    takt_posix_interrupt_enable(HORIZON_INTERRUPT, on_horizon);
    takt_posix_interrupt_announce(HORIZON_INTERRUPT, read_number());
    read_servers();
    read_objects();
    read_interrupts();
    read_actors();
    for (uint32_t number = 0; number < actor_count; number++) {
        must(!actors[number].exists_from_start || create(number) == TAKT_OK, "create");
    }
    (void)takt_kernel_start();
    return 2;
}
