/* Layouts of types for programs: doc/schema/types-1.md. */
#pragma once
#include "base/json.h"
#include "table/layout.h"

#define DATA_LAYOUT_FORMAT  "strobe-types"
#define DATA_LAYOUT_VERSION 1

/* Writes one object, into an array that the caller has opened. */
void data_layout_json(struct json *j, const struct layout *l);
/* Writes the numbers of instructions as members of the object that the caller has opened: "known", "reasons", "mnemonics". */
void data_layout_stats_json(struct json *j, const struct layout_stats *s);
