/* The output formats of tables, by the values of --format. */
#pragma once
#include "base/error.h"

enum table_format { TABLE_AS_TEXT, TABLE_AS_JSON, TABLE_AS_CSV };

/* NULL means text; ERROR_USAGE if name is not text, json or csv. */
struct strobe_error *table_format_parse(const char *name, enum table_format *ret) _must_check_;
