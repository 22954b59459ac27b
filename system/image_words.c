/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Words of rows: the other direction of image.c, for a machine that describes itself. */
#include "core/protocol.h"
#include "system/image.h"

/* Little-endian, as are all machines that write images. */
static uint64_t number_at(const char *member, uint32_t size) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++) {
        value |= (uint64_t)(uint8_t)member[i] << (8u * i);
    }
    return value;
}

static const void *pointer_at(const char *member) {
    return (const void *)(uintptr_t)number_at(member, sizeof(void *));
}

static uint64_t hash_or_none(const char *const *name) { return name != NULL ? takt_name_hash(*name) : 0u; }

uint64_t takt_image_word(const takt_field_t *field, const void *row) {
    const char *member = (const char *)row + field->offset;
    const takt_policy_t *policy;
    const takt_server_kind_t *kind;
    const takt_bandwidth_kind_t *bandwidth;
    switch (field->kind) {
    case TAKT_FIELD_HOME:
        return (uint64_t)((int64_t)(int32_t)number_at(member, field->size) + 1);
    case TAKT_FIELD_POLICY:
        policy = pointer_at(member);
        return hash_or_none(policy != NULL ? &policy->name : NULL);
    case TAKT_FIELD_SERVER_KIND:
        kind = pointer_at(member);
        return hash_or_none(kind != NULL ? &kind->name : NULL);
    case TAKT_FIELD_BANDWIDTH:
        bandwidth = pointer_at(member);
        return hash_or_none(bandwidth != NULL ? &bandwidth->name : NULL);
    case TAKT_FIELD_PROTOCOL:
        return takt_name_hash(takt_protocols[number_at(member, field->size)]->name);
    case TAKT_FIELD_STREAM:
        return 0;
    default:
        return number_at(member, field->size);
    }
}
