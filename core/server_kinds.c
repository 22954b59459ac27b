/* The table of kinds of servers. */
#include "core/server.h"

const takt_server_kind_t *const takt_server_kinds[] = {
    &takt_server_deferrable,
};

const size_t takt_server_kind_count = sizeof takt_server_kinds / sizeof takt_server_kinds[0];
