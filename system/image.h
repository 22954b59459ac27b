/* Image: a system and what happens to it, as a row of 64-bit words. A host writes it, a firmware reads it; so one program
 * runs every task set.
 *
 * Policies, kinds of servers and the like travel as places in the tables of this build, so who reads is of the source state
 * of who writes; the version says so where the layout changes. Whatever the words are, reading ends, writes into the memory
 * handed in only, and gives a description whose indices exist; whether a system can be as described is the writer's
 * business.
 *
 *     magic, version, length, horizon, counts | tick | settings | servers | tasks | bodies | threads | resources | uses |
 *     changes | windows | slots | demands | inputs
 *
 * When not to use it: for a trace; that has a file format of its own. */
#ifndef TAKT_SYSTEM_IMAGE_H
#define TAKT_SYSTEM_IMAGE_H

#include "policy/rate_based.h"
#include "system/spec.h"

#define TAKT_IMAGE_MAGIC UINT64_C(0x6567616d74b61674)

enum { TAKT_IMAGE_VERSION = 2 };

/* What the jobs of a task execute: job k, counted from 0, as the element k modulo the count says. */
typedef struct takt_demands {
    const uint64_t *values; /* >= 1 each */
    uint32_t count;         /* >= 1 */
} takt_demands_t;

typedef enum takt_input_kind {
    TAKT_INPUT_ARRIVAL = 0,
    TAKT_INPUT_CHANGE = 1,
} takt_input_kind_t;

/* Something from outside. */
typedef struct takt_input {
    takt_instant_t instant;
    takt_instant_t nominal; /* of an arrival */
    takt_input_kind_t kind;
    uint32_t index; /* of the task, or of the change */
} takt_input_t;

/* A system as a program. */
typedef struct takt_program {
    takt_system_spec_t
        spec; /* streams are NULL, `demand` is not looked at, rings have room for all that ever waits */
    takt_demands_t *demands; /* of each task, then of each change */
    takt_input_t *inputs;    /* in the order in which they come */
    uint32_t input_count;
    takt_instant_t horizon;
    uint64_t tick_ns; /* nanoseconds of a tick, where the machine can choose and time is real; else 0 */
    takt_rate_settings_t rates; /* where spec.rates points when it was read */
} takt_program_t;

/* X(name, message) */
#define TAKT_IMAGE_STATUS_LIST(X)                                  \
    X(OK, "done")                                                  \
    X(NO_IMAGE, "this is no image")                                \
    X(OTHER_VERSION, "the image is of another version")            \
    X(WRONG_LENGTH, "the image is shorter or longer than it says") \
    X(WRONG_VALUE, "the image holds a value that cannot be")       \
    X(UNKNOWN_POLICY, "a policy or a kind is not in the tables of this build")

#define TAKT_IMAGE_ENUM(name, message) TAKT_IMAGE_##name,
typedef enum takt_image_status { TAKT_IMAGE_STATUS_LIST(TAKT_IMAGE_ENUM) } takt_image_status_t;
#undef TAKT_IMAGE_ENUM

/* The message of `status`, for people. Never NULL. */
const char *takt_image_message(takt_image_status_t status);

/* Writes `program`, whose tables are left as they are, to `words`, `count` of them, and how many it takes to `used`; `words`
 * NULL: it only counts. Returns UNKNOWN_POLICY,
 * WRONG_VALUE or WRONG_LENGTH. */
takt_image_status_t takt_image_write(takt_program_t *program, uint64_t *words, uint64_t count,
                                     uint64_t *used);

/* How many bytes of memory takt_image_read takes, to `bytes`. Returns NO_IMAGE,
 * OTHER_VERSION, WRONG_LENGTH or WRONG_VALUE. */
takt_image_status_t takt_image_size(uint64_t *words, uint64_t count, uint64_t *bytes);

/* Reads the image `words`, `count` of them, into `program` and `memory`, both zeroed, the latter aligned to 16 bytes. The
 * program points into both. Returns as takt_image_size, and UNKNOWN_POLICY. */
takt_image_status_t takt_image_read(takt_program_t *program, uint64_t *words, uint64_t count, void *memory);

#endif
