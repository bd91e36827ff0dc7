/* The output formats of tables, by the names that --format takes. */
#pragma once
#include "base/error.h"

enum table_format { TABLE_AS_TEXT, TABLE_AS_JSON, TABLE_AS_CSV };

/* NULL is text; ERROR_USAGE if name is not text, json or csv. */
struct strobe_error *table_format_parse(const char *name, enum table_format *ret) _must_check_;
