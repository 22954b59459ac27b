/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Requests, as they come on a line of text each:
 *
 *     ms enter NAME wcet period deadline priority
 *     ms leave NAME
 *     ms end
 *
 * ms is when the line comes; times are microseconds, priorities 1 .. 29, larger = more urgent. Words stand apart by
 * spaces; empty lines, and those that begin with #, say nothing. */
#ifndef ADMISSION_REQUESTS_H
#define ADMISSION_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

enum { REQUEST_NAME_BYTES = 12 };

typedef enum request_kind { REQUEST_ENTER, REQUEST_LEAVE, REQUEST_END } request_kind_t;

typedef struct request {
    uint32_t ms;
    request_kind_t kind;
    char name[REQUEST_NAME_BYTES];
    uint32_t wcet, period, deadline, priority; /* enter; all 1 and up */
} request_t;

/* Reads the next line out of `text`, which is moved on behind it. False: it is not like the lines above. */
bool request_read(const char **text, request_t *request);

bool request_is_name(const char *a, const char *b);

#endif
