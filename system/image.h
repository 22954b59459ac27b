/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Image: a system and its inputs as a sequence of 64-bit words: the one form in which a description crosses a boundary.
 * A host writes it; simulator, replay and firmware read it, and a trace carries it.
 *
 *     magic, version, length, rows of each table | the tables, row by row, each field one word
 *
 * fields.def lists tables and fields in order. Policies, server kinds and protocols are hashes of their names. A
 * row says how many rows of the next table but one are its own (LENGTH); these come one after the other.
 *
 * For any words, reading terminates and writes only into the caller's memory. In its result all numbers are in range
 * and all indices exist. takt_check (check.h) checks their consistency. The version identifies the layout.
 *
 * When not to use it: for what a scheduler decided; a trace has records of its own. */
#ifndef TAKT_SYSTEM_IMAGE_H
#define TAKT_SYSTEM_IMAGE_H

#include "system/spec.h"

#define TAKT_IMAGE_MAGIC UINT64_C(0x6567616d74b61674)

enum { TAKT_IMAGE_VERSION = 5 };

/* X(kind): the encoding of a field as a word. The first ones are plain numbers. */
#define TAKT_FIELD_LIST(X)                                                    \
    X(TIME)                                                                   \
    X(COUNT)                                                                  \
    X(KEY)                                                                    \
    X(VALUE)                                                                  \
    X(REAL)     /* the bits of a double */                                    \
    X(FLAG)     /* 0 or 1 */                                                  \
    X(PRESENCE) /* 1: the field of the same key says something */             \
    X(WORD)     /* place in a list of words */                                \
    X(LENGTH)   /* rows of another table */                                   \
    X(HOME)     /* entity number of a server, or 0 */                         \
    X(TASK_PLACE)                                                             \
    X(RESOURCE_PLACE)                                                         \
    X(STREAM)      /* one more than the place of a stream; 0: none */         \
    X(POLICY)      /* takt_name_hash; 1, 2, ...: the reader's own; 0: none */ \
    X(SERVER_KIND) /* takt_name_hash; 0: none */                              \
    X(BANDWIDTH)   /* likewise */                                             \
    X(PROTOCOL)    /* takt_name_hash */

#define TAKT_FIELD_ENUM(kind) TAKT_FIELD_##kind,
typedef enum takt_kind { TAKT_FIELD_LIST(TAKT_FIELD_ENUM) } takt_kind_t;
#undef TAKT_FIELD_ENUM

#define TAKT_TABLE_ENUM(place, record, list, least, most, meaning) TAKT_TABLE_##place,
typedef enum takt_table { TAKT_TABLES(TAKT_TABLE_ENUM) TAKT_TABLE_COUNT } takt_table_t;
#undef TAKT_TABLE_ENUM

typedef enum takt_input_kind {
    TAKT_INPUT_ARRIVAL = 0,
    TAKT_INPUT_CHANGE = 1,
} takt_input_kind_t;

/* An input from outside. */
typedef struct takt_input {
    TAKT_INPUT_FIELDS(TAKT_MEMBER, )
} takt_input_t;

typedef struct takt_value {
    TAKT_VALUE_FIELDS(TAKT_MEMBER, )
} takt_value_t;

/* A system as a program. */
typedef struct takt_program {
    TAKT_RUN_FIELDS(TAKT_MEMBER, )
    takt_system_spec_t spec;
    const takt_sim_costs_t *costs; /* NULL: the kernel takes no time */
    const takt_architecture_t *architecture;
    const takt_input_t *inputs;
    uint32_t input_count;
    const takt_item_t *items;     /* of all bodies */
    const takt_stream_t *streams; /* all */
    const uint64_t *rows;         /* of each table */
    uint32_t *scratch;            /* of takt_check: for each server, then for each resource, 0 */
} takt_program_t;

/* One field, and how a word stands for it. */
typedef struct takt_field {
    uint16_t offset;
    uint8_t size; /* bytes */
    uint8_t kind;
    uint64_t least, most;
} takt_field_t;

typedef struct takt_layout {
    const takt_field_t *fields;
    uint32_t field_count;
    uint32_t size;        /* bytes of a row */
    uint32_t least, most; /* rows */
} takt_layout_t;

/* Of each table. */
extern const takt_layout_t takt_layouts[TAKT_TABLE_COUNT];

/* The place of an error. */
typedef struct takt_place {
    uint32_t table; /* takt_table_t */
    uint32_t row;
    uint32_t field; /* its place in the layout */
} takt_place_t;

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

/* Words to read. */
typedef struct takt_image {
    const uint64_t *words; /* must outlive the program */
    uint64_t count;
    const takt_policy_t *const *policies; /* that words name by 1, 2, ...; may be NULL */
    uint32_t policy_count;
    takt_place_t place; /* of a wrong value, or of what is unknown */
} takt_image_t;

/* Returns FNV-1a of `name`, the hash of a policy, a kind of server or a protocol. Above 2^16 for all of this build. */
uint64_t takt_name_hash(const char *name);

/* Returns the word of `field` of `row`, a record of its table. A stream has none: 0. */
uint64_t takt_image_word(const takt_field_t *field, const void *row);

/* Writes the bytes of memory that takt_image_read needs to `bytes`. Returns NO_IMAGE, OTHER_VERSION, WRONG_LENGTH or
 * WRONG_VALUE. */
takt_image_status_t takt_image_size(takt_image_t *image, uint64_t *bytes);

/* Reads `image` into `program` and `memory`, both zeroed, the latter aligned to 16 bytes. Call takt_image_size before.
 * The program points into both. Returns WRONG_VALUE or UNKNOWN_POLICY. */
takt_image_status_t takt_image_read(takt_image_t *image, takt_program_t *program, void *memory);

#endif
