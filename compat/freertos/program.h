/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A FreeRTOS program on Takt's kernel: its tasks, its time, and how they wait. Private to compat/freertos.
 *
 * All data that is not an object of the program is one record, so a second program needs a second copy of this library
 * and nothing else.
 *
 * A task is a plain thread of the kernel. It waits for a notification of its thread and for nothing else; what it waits
 * for is known here alone. So an object is not handed over: a woken task tries again, and waits for what is left of its
 * time. The bits of a notification say why a wait has ended, and a bit too many costs one more try.
 *
 * Under the kernel's lock (takt_port_lock) an object is changed and the task to wake is chosen; open again, that one is
 * notified. A caller that keeps interrupts masked cannot switch: then the notification is kept in `pending`, until the
 * last critical section ends.
 *
 * Invariants: a task is in at most one list of waiters, and only while it waits; `until` is the end of its wait. */
#ifndef TAKT_COMPAT_FREERTOS_PROGRAM_H
#define TAKT_COMPAT_FREERTOS_PROGRAM_H

#include "compat/freertos/include/FreeRTOS.h"
#include "compat/freertos/include/task.h"

#include "kernel/alarm.h"
#include "kernel/inspect.h"
#include "kernel/kernel.h"
#include "kernel/units.h"

/* An assertion of the configuration; before it fails, the hook is called with the task and the function of the library. */
#if configASSERT_DEFINED != 0
#define ASSERT(holds) configASSERT(((holds) || takt_freertos_report(__func__)))
#else
#define ASSERT(holds)
#endif

/* Calls the hook. Returns false. */
bool takt_freertos_report(const char *call);

/* Ticks of Takt's clock in a tick of the program. */
#define TAKT_FREERTOS_TICK ((uint32_t)(TAKT_TICK_HZ / (configTICK_RATE_HZ)))

typedef struct tskTaskControlBlock task_t;

/* Tasks that wait for one object, the last one first. */
typedef struct waiters {
    task_t *last;
} waiters_t;

/* Why a wait has ended: bits of the notification of a task's thread. */
enum {
    WOKEN = 1u << 0,     /* what it waits for may be there */
    ABORTED = 1u << 1,   /* xTaskAbortDelay */
    RESUMED = 1u << 2,   /* it was suspended, which ends a wait */
    SHIFTED = 1u << 3,   /* its end was moved by xTaskCatchUpTicks */
    TIMED_OUT = 1u << 4, /* none of these: its time is up */
};

/* What of a task the library has allocated. */
enum { OWNS_TASK = 1u << 0, OWNS_STACK = 1u << 1 };

struct tskTaskControlBlock {
    takt_thread_t thread;              /* first; not created before the start */
    takt_instant_t until;              /* end of its wait; TAKT_NEVER: none */
    struct takt_thread_server *server; /* NULL: under the root */
    task_t *next;                      /* of all tasks */
    task_t *next_waiter;
    waiters_t *waits_in; /* NULL: none */
    task_t *next_pending;
    TaskFunction_t code;
    void *argument;
    StackType_t *stack;
    uint32_t depth;
    uint32_t pending;   /* bits that are still to be notified */
    uint32_t number;    /* of the creation */
    uint32_t tag;       /* the program's, for recorders */
    TickType_t awaited; /* event bits, and how; then what they were */
    uint8_t base;       /* its own priority */
    uint8_t priority;   /* in force: it may inherit */
    uint16_t mutexes;   /* that it holds */
    uint8_t owned;      /* OWNS_ */
    bool is_pending;
    uint8_t notified[configTASK_NOTIFICATION_ARRAY_ENTRIES]; /* see notifications.c */
    uint32_t values[configTASK_NOTIFICATION_ARRAY_ENTRIES];
#if configUSE_APPLICATION_TASK_TAG != 0
    TaskHookFunction_t hook;
#endif
#if configGENERATE_RUN_TIME_STATS != 0
    configRUN_TIME_COUNTER_TYPE executed;
#endif
#if configNUM_THREAD_LOCAL_STORAGE_POINTERS > 0
    void *words[configNUM_THREAD_LOCAL_STORAGE_POINTERS];
#endif
    char name[configMAX_TASK_NAME_LEN];
};

/* What critical sections need; a program without any is linked without it. */
typedef struct sections {
    void (*keep)(task_t *task,
                 uint32_t bits); /* until the last section ends: bits to be notified, and the priority */
    void (*open)(void);          /* a section, for the time of a call that may switch */
    void (*close)(uint32_t nesting);
} sections_t;

/* The program. */
typedef struct program {
    const sections_t *sections;      /* NULL: there was no section */
    void (*free_ended)(void);        /* see tasks.c; NULL: no task was deleted */
    task_t *first;                   /* of all tasks, in the order of creation */
    task_t *pending;                 /* tasks with bits to be notified, or a priority to be set */
    struct takt_thread_server *home; /* where tasks are created; NULL: under the root */
    task_t *idle;
    task_t *ended; /* deleted, and not freed yet */
    uint32_t task_count;
    uint32_t created;        /* number of the next task */
    uint32_t nesting;        /* critical sections */
    uint32_t suspended;      /* vTaskSuspendAll */
    uint32_t resumptions;    /* waits that have ended */
    takt_port_level_t level; /* before the first critical section */
    bool is_yielding;        /* a yield is pending */
    bool is_started;
    uint64_t ticks;      /* at `tick` */
    takt_instant_t tick; /* the last known begin of a tick */
} program_t;

extern program_t takt_freertos;

/* ---- tasks ------------------------------------------------------------------------------------------------ */

/* Returns the running task; in an interrupt: the interrupted one. NULL: before the start, or a thread of others. */
task_t *takt_freertos_running(void);

/* Likewise in a call that only a task of the program makes. */
TAKT_INLINE task_t *takt_freertos_self(void) { return (task_t *)(void *)takt_kernel_running(); }

/* Returns `task`, or the running one for NULL. */
TAKT_INLINE task_t *takt_freertos_task(TaskHandle_t task) {
    return task != NULL ? task : takt_freertos_self();
}

/* True unless `task` has ended or was deleted, as far as its memory says so. */
bool takt_freertos_is_task(const task_t *task);

/* As xTaskCreate and xTaskCreateStatic, in `server`. */
BaseType_t takt_freertos_create(struct takt_thread_server *server, TaskFunction_t code, const char *name,
                                configSTACK_DEPTH_TYPE depth, void *argument, UBaseType_t priority,
                                TaskHandle_t *handle);
TaskHandle_t takt_freertos_create_static(struct takt_thread_server *server, TaskFunction_t code,
                                         const char *name, configSTACK_DEPTH_TYPE depth, void *argument,
                                         UBaseType_t priority, StackType_t *stack, StaticTask_t *buffer);

/* Creates the thread of `task`. Returns whether the kernel has taken it. */
bool takt_freertos_begin(task_t *task);

/* Removes `task` from the list of all tasks. Closed. */
void takt_freertos_remove_task(task_t *task);

/* Frees what the library has allocated of `task`. */
void takt_freertos_free(task_t *task);

/* 1: while no task runs, nothing happens in a tick. */
#define TAKT_FREERTOS_STOPS_TICKS                                                               \
    (configUSE_TICKLESS_IDLE != 0 && configUSE_TICK_HOOK == 0 && configUSE_TIME_SLICING != 0 && \
     configUSE_PREEMPTION != 0)

/* Starts what happens in every tick, if anything does and it has not begun. Threads only. */
void takt_freertos_start_ticks(void);

/* Creates the daemon of the timers. */
void takt_freertos_start_timers(void);

/* ---- time ------------------------------------------------------------------------------------------------- */

/* Moves `ticks` and `tick` to now; returns `ticks`, as the program has it. With the lock closed or open. */
TickType_t takt_freertos_count(void);

/* ---- to wait ------------------------------------------------------------------------------------------------ */

/* Returns the instant at which tick number `tick` begins; `ticks` is of now. Closed. */
takt_instant_t takt_freertos_instant(uint64_t tick);

/* The time that a call may wait. */
typedef struct limit {
    TickType_t ticks; /* 0: it may not, or no more */
    bool is_begun;    /* `until` of the task is set */
} limit_t;

/* The running task joins `waiters` and is about to wait, if `limit` lets it. Closed. Returns whether it does. */
bool takt_freertos_join(waiters_t *waiters, limit_t *limit);

/* Sets the end of a wait of `ticks` of the running task. Closed. */
void takt_freertos_set_end(TickType_t ticks);

/* Waits, after a join or the setting of an end. Open. Returns why it has ended. */
uint32_t takt_freertos_sleep(void);

/* Likewise after a join; ends `limit` if the time is up. */
void takt_freertos_await(limit_t *limit);

/* Returns whether `task` waits, or is about to. */
bool takt_freertos_waits(const task_t *task);

/* Removes `task` from the list that it waits in. Closed. */
void takt_freertos_leave_list(task_t *task);

/* Likewise, if there is any. */
TAKT_INLINE void takt_freertos_leave(task_t *task) {
    if (task->waits_in != NULL) {
        takt_freertos_leave_list(task);
    }
}

/* ---- to wake ------------------------------------------------------------------------------------------------ */

/* Removes and returns the waiter of the highest priority, of equals the first, whose time is not up; NULL: there is none.
 * Closed. */
task_t *takt_freertos_first_of(waiters_t *waiters);

TAKT_INLINE task_t *takt_freertos_first(waiters_t *waiters) {
    return TAKT_UNLIKELY(waiters->last != NULL) ? takt_freertos_first_of(waiters) : NULL;
}

/* Notifies `task` of `bits`. With the lock as the caller found it. */
void takt_freertos_notify(task_t *task, uint32_t bits);

/* Likewise unless `task` is NULL. */
TAKT_INLINE void takt_freertos_wake(task_t *task, uint32_t bits) {
    if (TAKT_UNLIKELY(task != NULL)) {
        takt_freertos_notify(task, bits);
    }
}

/* Likewise from an interrupt or a task: sets `woken`, if that is not NULL, to pdTRUE before. */
void takt_freertos_wake_from_isr(task_t *task, BaseType_t *woken);

/* Lets the kernel have the priority of `task`, which has changed; likewise. */
void takt_freertos_set_priority(task_t *task);

/* The same with the lock open. */
void takt_freertos_apply_priority(task_t *task);

/* Without preemption the running task holds the scheduler lock of the program, but in calls that may let others run: so
 * these begin and end. Open. */
#if configUSE_PREEMPTION == 0
void takt_freertos_begin_turn(void);
void takt_freertos_end_turn(void);
#else
TAKT_INLINE void takt_freertos_begin_turn(void) {}
TAKT_INLINE void takt_freertos_end_turn(void) {}
#endif

/* Lets equals of the running task go first. Open. */
TAKT_INLINE void takt_freertos_yield(void) {
    takt_freertos_end_turn();
    (void)takt_thread_yield();
    takt_freertos_begin_turn();
}

/* Begins a call of the kernel that may switch: opens a critical section, if there is one. The next closes it again. */
TAKT_INLINE uint32_t takt_freertos_open(void) {
    const uint32_t nesting = takt_freertos.nesting;
    if (TAKT_UNLIKELY(nesting != 0)) {
        takt_freertos.sections->open();
    }
    return nesting;
}

TAKT_INLINE void takt_freertos_close(uint32_t nesting) {
    if (TAKT_UNLIKELY(nesting != 0)) {
        takt_freertos.sections->close(nesting);
    }
}

#endif
