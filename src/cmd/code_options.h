/* Options about code that annotate, report and top share. */
#pragma once
#include <stdbool.h>

#include "base/error.h"
#include "disasm/disasm.h"
#include "table/listing.h"

/* -M: att or intel. */
struct strobe_error *code_parse_syntax(const char *value, bool negated, enum disasm_syntax *ret) _must_check_;
/* --percent-type: (local|global)-(period|hits). */
struct strobe_error *code_parse_share(const char *value, bool negated, enum listing_share *ret) _must_check_;
