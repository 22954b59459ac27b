/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* takt-linux, one of whose tasks does what a task must not. The linker puts these functions in place of takt-linux's own:
 * test_faults.py. Line N of the file `faults` is about run N of the list, as WHAT TASK NUMBER. NUMBER is that of a job, or an
 * instant in ms. What the task learns is written to `said` in the folder of the run. */
#define _GNU_SOURCE
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "linux/daemon/machine.h"
#include "linux/layout.h"
#include "linux/program/internal.h"

enum {
    PAGE = 4096,
    FEW_RECORDS = 100,
    MANY_RECORDS = 5000000,
    AWAY_MS = 30,
    LONG_AWAY_MS = 1500,
    POLL_MS = 5
};

enum { KINDS = 16, JOBS_NAMED = 3, NAP_MS = 3, STALE_MS = 100, ENDLESS_MS = 13000 };
enum { REENTER_MS = 10, CROWD_MS = 100, HELD_MS = 10, UNUSED = 0xa00 };

#define MS UINT64_C(1000000)

static struct {
    char what[16];
    uint32_t task;
    uint32_t number;
} fault;
static uint32_t runs;
static const takt_machine_t *machine;

static bool is(const char *what) { return strcmp(fault.what, what) == 0; }

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    char path[32];
    va_list values;
    (void)snprintf(path, sizeof path, "%u/said", runs - 1u);
    FILE *file = fopen(path, "a");
    va_start(values, format);
    (void)vfprintf(file, format, values);
    va_end(values);
    (void)fputc('\n', file);
    (void)fclose(file);
}

static void sleep_ms(uint64_t ms) {
    const struct timespec time = {.tv_sec = (long)(ms / 1000), .tv_nsec = (long)(ms % 1000 * MS)};
    (void)nanosleep(&time, NULL);
}

/* Executes for `ns` of the thread's time. */
static void burn(uint64_t ns) {
    const uint64_t until = takt_program_used() + ns;
    while (takt_program_used() < until) {
    }
}

static void set_class(int class, int priority) {
    const struct sched_param parameters = {.sched_priority = priority};
    (void)syscall(SYS_sched_setscheduler, 0, class, &parameters);
}

static void bind(pid_t process, uint32_t first, uint32_t last) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (uint32_t cpu = first; cpu <= last; cpu++) {
        CPU_SET(cpu, &set);
    }
    (void)sched_setaffinity(process, sizeof set, &set);
}

static void write_file(const char *path, const char *text) {
    const int file = open(path, O_WRONLY);
    if (file < 0 || write(file, text, strlen(text)) < 0) {
        say("%s: %s", path, strerror(errno));
    }
    (void)close(file);
}

/* ---- a page that comes late ------------------------------------------------------------------------------- */

static int pages;
static char *late_page;

static void *bring_page(void *unused) {
    static const char content[PAGE] = {0};
    struct uffd_msg message;
    (void)unused;
    if (read(pages, &message, sizeof message) != (ssize_t)sizeof message) {
        return NULL;
    }
    sleep_ms(POLL_MS);
    struct uffdio_copy copy = {
        .dst = (uintptr_t)late_page, .src = (uintptr_t)content, .len = PAGE, .mode = 0};
    (void)ioctl(pages, UFFDIO_COPY, &copy);
    return NULL;
}

static void prepare_page(void) {
    pthread_t thread;
    struct uffdio_api api = {.api = UFFD_API};
    pages = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    late_page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register area = {.range = {(uintptr_t)late_page, PAGE},
                                   .mode = UFFDIO_REGISTER_MODE_MISSING};
    if (pages < 0 || ioctl(pages, UFFDIO_API, &api) != 0 || ioctl(pages, UFFDIO_REGISTER, &area) != 0) {
        say("userfaultfd: %s", strerror(errno));
    }
    (void)pthread_create(&thread, NULL, bring_page, NULL);
    (void)pthread_detach(thread);
}

/* ---- what a job does -------------------------------------------------------------------------------------- */

/* As fork; the scheduler ends with takt-linux all the same. */
static pid_t beget(void) {
    const pid_t process = fork();
    if (process == 0) {
        (void)close(bpf_link__fd(machine->link));
        (void)close(bpf_link__fd(machine->decide_link));
    }
    return process;
}

static pid_t make_child(void) {
    const pid_t process = beget();
    if (process == 0) {
        const int class = sched_getscheduler(0);
        say("child: class %d, %s", class, takt_linux_message(takt_linux_wait()));
        burn(5 * MS);
        say("child: done");
        _exit(0);
    }
    return process;
}

/* Sleeps, and is meanwhile put into the fair class and back. */
static void sleep_elsewhere(void) {
    const pid_t thread = (pid_t)syscall(SYS_gettid);
    if (beget() == 0) {
        const struct sched_param parameters = {0};
        set_class(SCHED_FIFO, 10);
        sleep_ms(REENTER_MS);
        (void)syscall(SYS_sched_setscheduler, thread, SCHED_OTHER, &parameters);
        (void)syscall(SYS_sched_setscheduler, thread, TAKT_SLOT_CLASS_EXT, &parameters);
        _exit(0);
    }
    sleep_ms(AWAY_MS);
}

static void sleep_until(uint64_t instant) {
    const struct timespec until = {.tv_sec = (time_t)(instant / (1000 * MS)),
                                   .tv_nsec = (long)(instant % (1000 * MS))};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/* The list of what is locked gets no end. */
static void break_domain(void) {
    takt_server_t *root = &takt_machine_domain(machine, 0)->system.dispatcher->root;
    takt_resource_t *endless = (takt_resource_t *)(uintptr_t)(TAKT_ARENA_BASE + UNUSED);
    (void)takt_linux_lock(0);
    *endless = *root->locked;
    endless->below = endless;
    root->locked = endless;
    (void)takt_linux_unlock(0);
}

/* Requests something of a job. Returns the slot. */
static takt_linux_slot_t *request(const takt_worker_t *worker, uint32_t kind, uint32_t job, uint64_t value) {
    const uint32_t entity = 1u + worker->threads->program.spec.server_count + worker->task;
    takt_linux_slot_t *slot = takt_machine_slot(machine, 0, entity);
    slot->request_job = job;
    slot->request_value = value;
    __atomic_store_n(&slot->request, kind, __ATOMIC_RELEASE);
    return slot;
}

/* Requests something of a job, and sleeps for some ms instead of what libtakt does then. */
static void sleep_with(const takt_worker_t *worker, uint32_t kind, uint32_t job, uint64_t value,
                       uint64_t ms) {
    takt_linux_slot_t *slot = request(worker, kind, job, value);
    sleep_ms(ms);
    __atomic_store_n(&slot->request, TAKT_SLOT_NONE, __ATOMIC_RELEASE);
}

/* Each request of the job, of the one before and of the next one; then the same while the job holds a resource. */
static void sleep_with_any(const takt_worker_t *worker, uint32_t job) {
    const uint32_t number = job - fault.number, kind = number % KINDS;
    const uint32_t named = job - 1u + number / KINDS % JOBS_NAMED;
    const bool holds = number / KINDS / JOBS_NAMED % 2 != 0;
    if (holds) {
        (void)takt_linux_lock(0);
    }
    sleep_with(worker, kind, named, kind == TAKT_SLOT_SUSPEND ? takt_program_now() + MS : 0, NAP_MS);
    if (holds) {
        (void)takt_linux_unlock(0);
    }
}

/* Holds the resource that the body of the task names. */
static void stop_as_holder(const takt_worker_t *worker) {
    const takt_task_spec_t *task = &worker->threads->program.spec.tasks[worker->task];
    uint32_t resource = 0;
    for (uint32_t i = 0; i < task->body_count; i++) {
        resource = task->body[i].kind == TAKT_ITEM_LOCK ? (uint32_t)task->body[i].ticks : resource;
    }
    (void)takt_linux_lock(resource);
    (void)kill(getpid(), SIGSTOP);
    (void)takt_linux_unlock(resource);
}

static void end_thread(takt_worker_t *worker) {
    worker->joined = NULL;
    worker->has_ended = true;
    (void)syscall(SYS_exit, 0);
}

static void commit(takt_worker_t *worker) {
    if (is("exit")) {
        end_thread(worker);
    } else if (is("holder")) {
        (void)takt_linux_lock(0);
        end_thread(worker);
    } else if (is("kill")) {
        (void)kill(getpid(), SIGKILL);
    } else if (is("stop")) {
        (void)kill(getpid(), SIGSTOP);
    } else if (is("stop_holder") || is("stop_long")) {
        stop_as_holder(worker);
    } else if (is("stale")) {
        sleep_with(worker, TAKT_SLOT_COMPLETE, fault.number - 1u, 0, STALE_MS);
    } else if (is("jobless")) {
        (void)request(worker, TAKT_SLOT_COMPLETE, fault.number, 0);
        (void)sched_yield();
    } else if (is("endless")) {
        burn(ENDLESS_MS * MS);
    } else if (is("fork")) {
        (void)make_child();
    } else if (is("brood")) {
        (void)make_child();
        burn(ENDLESS_MS * MS);
    } else if (is("roam")) {
        bind(make_child(), 0, 1);
        burn(ENDLESS_MS * MS);
        say("job: done");
    } else if (is("reenter")) {
        sleep_elsewhere();
    } else if (is("crowd")) {
        sleep_until(worker->threads->epoch + CROWD_MS * MS);
    } else if (is("loop")) {
        break_domain();
    } else if (is("other") || is("lost")) {
        set_class(SCHED_OTHER, 0);
    } else if (is("fifo")) {
        set_class(SCHED_FIFO, 10);
    } else if (is("move")) {
        bind(0, 1, 1);
    } else if (is("widen")) {
        bind(0, 0, 1);
    } else if (is("page")) {
        *late_page = 1;
    } else if (is("hold")) {
        (void)takt_linux_lock(0);
        *late_page = 1;
        (void)takt_linux_unlock(0);
    } else if (is("undecided")) {
        (void)dup2(open("/dev/null", O_RDONLY), bpf_link__fd(machine->decide_link));
    } else if (is("daemon")) {
        (void)kill(getppid(), SIGKILL);
    } else if (is("unloaded")) {
        *(volatile uint64_t *)(uintptr_t)TAKT_ARENA_REFUSED = TAKT_FIRST_FUNCTION + 1u;
    }
}

static takt_linux_status_t execute(takt_worker_t *worker) {
    const takt_program_t *program = &worker->threads->program;
    const uint64_t ns = program->spec.tasks[worker->task].demand * program->resolution_ns;
    takt_linux_status_t status = takt_linux_wait();
    while (status >= 0 && !worker->threads->is_over) {
        takt_linux_job_t job;
        (void)takt_linux_job(&job);
        if (is("requests") && job.number >= fault.number) {
            sleep_with_any(worker, job.number);
        } else if (job.number == fault.number) {
            commit(worker);
        }
        burn(ns - worker->threads->run->overhead_ns);
        status = takt_linux_wait();
    }
    return status;
}

/* ---- beside the task --------------------------------------------------------------------------------------- */

static void wait_for_end(const takt_worker_t *worker) {
    while (!__atomic_load_n(&worker->threads->is_over, __ATOMIC_ACQUIRE)) {
        sleep_ms(POLL_MS);
    }
}

/* In a process of its own, the jobs of `worker`. */
static _Noreturn void be_process(takt_worker_t *worker) {
    const takt_linux_parameters_t parameters = {.entity = 1u + worker->threads->program.spec.server_count +
                                                          worker->task};
    (void)takt_linux_join(worker->threads->run->transport, &parameters);
    const takt_linux_status_t status = execute(worker);
    say("process: %s", takt_linux_message(status));
    burn(10 * MS);
    say("process: goes on");
    _exit(0);
}

static takt_linux_status_t in_process(takt_worker_t *worker) {
    (void)takt_linux_leave();
    const pid_t process = beget();
    if (process == 0) {
        be_process(worker);
    }
    uint64_t killed_at = is("kill_at") ? worker->threads->epoch + fault.number * MS : UINT64_MAX;
    int state;
    while (!__atomic_load_n(&worker->threads->is_over, __ATOMIC_ACQUIRE)) {
        if (waitpid(process, &state, WNOHANG | WUNTRACED) == process && WIFSTOPPED(state)) {
            sleep_ms(is("stop_long") ? LONG_AWAY_MS : AWAY_MS);
            (void)kill(process, SIGCONT);
        }
        if (killed_at < takt_program_now() + 2 * POLL_MS * MS) {
            sleep_until(killed_at);
            (void)kill(process, SIGKILL);
            killed_at = UINT64_MAX;
        }
        sleep_ms(POLL_MS);
    }
    (void)kill(process, SIGKILL);
    (void)waitpid(process, &state, 0);
    return TAKT_LINUX_ERROR_DISMISSED;
}

/* Processes that end with the thread that makes them. */
static void make_companion(const takt_worker_t *worker) {
    if (worker->task != fault.task || (!is("hog") && !is("offline") && !is("crowd"))) {
        return;
    }
    if (beget() != 0) {
        return;
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (is("hog")) {
        bind(0, 0, 0);
        for (;;) {
        }
    }
    if (is("crowd")) {
        bind(0, 0, 0);
        set_class(SCHED_FIFO, 10);
        sleep_until(worker->threads->epoch + (CROWD_MS - HELD_MS) * MS);
        burn(2 * HELD_MS * MS);
        _exit(0);
    }
    (void)prctl(PR_SET_PDEATHSIG, 0);
    bind(0, 0, 0);
    sleep_ms(50 + fault.number);
    write_file("/sys/devices/system/cpu/cpu1/online", "0");
    sleep_ms(100);
    write_file("/sys/devices/system/cpu/cpu1/online", "1");
    say("online again");
    _exit(0);
}

/* ---- in place of takt-linux's own --------------------------------------------------------------------------- */

takt_linux_status_t __real_takt_worker_execute(takt_worker_t *worker);
takt_linux_status_t __wrap_takt_worker_execute(takt_worker_t *worker);
void __real_takt_machine_clear(takt_machine_t *cleared);
void __wrap_takt_machine_clear(takt_machine_t *cleared);
takt_domain_status_t __real_takt_machine_add(takt_machine_t *to, uint32_t cpu, const uint64_t *words,
                                             uint64_t count, uint64_t records, uint64_t tick_ns,
                                             takt_domain_order_t *order);
takt_domain_status_t __wrap_takt_machine_add(takt_machine_t *to, uint32_t cpu, const uint64_t *words,
                                             uint64_t count, uint64_t records, uint64_t tick_ns,
                                             takt_domain_order_t *order);
bool __wrap_takt_linux_lock_memory(void);

takt_linux_status_t __wrap_takt_worker_execute(takt_worker_t *worker) {
    if (is("none") || worker->task < fault.task || (worker->task > fault.task && !is("crowd"))) {
        return __real_takt_worker_execute(worker);
    }
    make_companion(worker);
    if (is("kill") || is("kill_at") || strncmp(fault.what, "stop", strlen("stop")) == 0 || is("daemon")) {
        return in_process(worker);
    }
    if (is("page") || is("hold")) {
        prepare_page();
    }
    const takt_linux_status_t status = execute(worker);
    if (status != TAKT_LINUX_ERROR_DISMISSED && !is("offline")) { /* whichever thread is first ends the run */
        say("thread: %s", takt_linux_message(status));
    }
    if (is("offline")) {
        (void)wait(NULL);
    }
    if (!is("lost") && !is("offline") && !is("hog") && !is("undecided") && !is("unloaded") && !is("loop")) {
        set_class(SCHED_OTHER, 0);
        wait_for_end(worker);
    }
    return status;
}

void __wrap_takt_machine_clear(takt_machine_t *cleared) {
    char line[64];
    FILE *file = fopen("faults", "r");
    if (is("ftrace")) {
        write_file("/proc/sys/kernel/ftrace_enabled", "1");
    }
    for (uint32_t i = 0; i <= runs; i++) {
        (void)fgets(line, sizeof line, file);
    }
    (void)fclose(file);
    runs++;
    (void)sscanf(line, "%15s %u %u", fault.what, &fault.task, &fault.number);
    machine = cleared;
    __real_takt_machine_clear(cleared);
}

takt_domain_status_t __wrap_takt_machine_add(takt_machine_t *to, uint32_t cpu, const uint64_t *words,
                                             uint64_t count, uint64_t records, uint64_t tick_ns,
                                             takt_domain_order_t *order) {
    if (is("ftrace")) {
        write_file("/proc/sys/kernel/ftrace_enabled", "0");
    }
    const uint64_t changed = is("log") ? FEW_RECORDS : is("arena") ? MANY_RECORDS : records;
    return __real_takt_machine_add(to, cpu, words, count, changed, tick_ns, order);
}

/* Locked memory makes each fork long. */
bool __wrap_takt_linux_lock_memory(void) { return true; }
