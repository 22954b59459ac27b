/* SPDX-License-Identifier: Apache-2.0 OR MIT */
// Writes the table of fields (system/fields.def) to a text file, which records.py reads: a line for each table and a line
// for each of its fields, with tabs between the parts of a line.
//
//     <empty> name meaning
//     key kind unit initial meaning
#include <stdio.h>

#include "system/spec.h"

#define TAKT_FIELD_LINE(record, type, member, key, kind, unit, least, most, initial, analysis, meaning) \
#key "\t" #kind "\t" unit "\t" #initial "\t" meaning "\n",
#define TAKT_TABLE_LINES(place, record, list, least, most, meaning) \
    "\t" #place "\t" meaning "\n", TAKT_##list##_FIELDS(TAKT_FIELD_LINE, record)

static const char *const lines[] = {TAKT_TABLES(TAKT_TABLE_LINES)};

int main(int count, char **arguments) {
    FILE *file = count == 2 ? fopen(arguments[1], "w") : NULL;
    if (file == NULL) {
        return 1;
    }
    bool is_written = true;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        is_written &= fputs(lines[i], file) >= 0;
    }
    return fclose(file) == 0 && is_written ? 0 : 1;
}
