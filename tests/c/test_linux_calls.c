/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The calls of libtakt that change a thread or its memory, made for real. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "linux/lib/calls.h"

enum { STACK_BYTES = 256 * 1024, PAGE = 4096 };

static char stack[STACK_BYTES] __attribute__((aligned(PAGE)));

static uint32_t resident_pages(void) {
    unsigned char pages[STACK_BYTES / PAGE];
    uint32_t count = 0;
    CHECK(mincore(stack, sizeof stack, pages) == 0);
    for (uint32_t i = 0; i < sizeof pages; i++) {
        count += pages[i] & 1u;
    }
    return count;
}

static void *touch(void *bytes) {
    takt_linux_touch_stack(*(const uint32_t *)bytes);
    return NULL;
}

/* Runs a thread on a stack whose pages are not there yet. */
static uint32_t pages_after(uint32_t bytes) {
    pthread_t thread;
    pthread_attr_t attributes;
    CHECK(madvise(stack, sizeof stack, MADV_DONTNEED) == 0);
    CHECK(resident_pages() < 4);
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstack(&attributes, stack, sizeof stack) == 0);
    CHECK(pthread_create(&thread, &attributes, touch, &bytes) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(pthread_attr_destroy(&attributes) == 0);
    return resident_pages();
}

static void the_stack_is_touched_as_far_as_it_goes(void) {
    const uint32_t few = pages_after(8 * PAGE), all = pages_after(UINT32_MAX);
    CHECK(pages_after(1) >= 1);
    CHECK(few >= 8 && few < 16);
    CHECK(all >= STACK_BYTES / PAGE - 6 && all <= STACK_BYTES / PAGE);
}

static void a_thread_is_bound(void) {
    cpu_set_t before, after;
    CHECK(sched_getaffinity(0, sizeof before, &before) == 0);
    int32_t cpu = 0;
    while (!CPU_ISSET((size_t)cpu, &before)) {
        cpu++;
    }
    CHECK(takt_linux_bind(cpu) && sched_getaffinity(0, sizeof after, &after) == 0);
    CHECK(CPU_COUNT(&after) == 1 && CPU_ISSET((size_t)cpu, &after));
    CHECK(!takt_linux_bind(CPU_SETSIZE - 1));
    CHECK(sched_setaffinity(0, sizeof before, &before) == 0);
}

static void the_slack_is_set_and_restored(void) {
    const int usual = prctl(PR_GET_TIMERSLACK);
    takt_linux_set_slack(1);
    CHECK(prctl(PR_GET_TIMERSLACK) == 1);
    takt_linux_set_slack(0);
    CHECK(prctl(PR_GET_TIMERSLACK) == usual);
}

static void a_thread_has_its_class(void) {
    CHECK(takt_linux_thread_id() == (int32_t)getpid());
    CHECK(takt_linux_set_class(takt_linux_thread_id(), false) && sched_getscheduler(0) == SCHED_OTHER);
    const bool is_ext = takt_linux_set_class(takt_linux_thread_id(), true);
    CHECK(sched_getscheduler(0) == (is_ext ? 7 : SCHED_OTHER));
    CHECK(takt_linux_set_class(takt_linux_thread_id(), false) && sched_getscheduler(0) == SCHED_OTHER);
}

/* Returns the locked memory of this process, in kB. */
static unsigned long locked_kb(void) {
    char line[256];
    unsigned long kb = 0;
    FILE *file = fopen("/proc/self/status", "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "VmLck: %lu", &kb);
    }
    CHECK(fclose(file) == 0);
    return kb;
}

#ifdef __SANITIZE_ADDRESS__
enum { CAN_LOCK = 0 }; /* the sanitizer's mlockall does nothing, and says that it did */
#else
enum { CAN_LOCK = 1 };
#endif

/* Where the system allows it, memory is locked; else the answer says so. A child locks its own. */
static void memory_is_locked_or_it_is_told(void) {
    const bool is_locked = takt_linux_lock_memory();
    CHECK(is_locked == (locked_kb() > 0));
    CHECK(takt_linux_lock_memory() == is_locked);
    const pid_t child = fork();
    if (child == 0) {
        const bool is_unlocked = locked_kb() == 0;
        _exit(is_unlocked && takt_linux_lock_memory() == (locked_kb() > 0) ? 0 : 1);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
    the_stack_is_touched_as_far_as_it_goes();
    a_thread_is_bound();
    the_slack_is_set_and_restored();
    a_thread_has_its_class();
    if (CAN_LOCK) {
        memory_is_locked_or_it_is_told();
    }
    return check_report("linux calls");
}
