/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A thread of SCHED_FIFO that takes the processor from others again and again, until it is killed: thief [REST_NS]. */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char **words) {
    const struct sched_param urgent = {.sched_priority = 50};
    const struct timespec rest = {0, count > 1 ? atol(words[1]) : 3900000};
    struct timespec now, until;
    for (sched_setscheduler(0, SCHED_FIFO, &urgent);; nanosleep(&rest, 0)) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &until);
        do {
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        } while ((now.tv_sec - until.tv_sec) * 1000000000 + now.tv_nsec - until.tv_nsec < 300000);
    }
}
