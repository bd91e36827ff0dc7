/*
 * Formats that `convert` reads and writes: those of exchange/, and as further ones to write folded stacks and callgrind's, which are
 * views of one event of a profile. By a name that the user gave, or else by that of the file. ERROR_USAGE names the known ones.
 */
#pragma once
#include "exchange/exchange.h"

/* name NULL: *ret is NULL, the content says. */
struct strobe_error *profile_format_to_read(const char *name, const struct exchange_format **ret) _must_check_;
/* name NULL: by the end of the path. */
struct strobe_error *profile_format_to_write(const char *name, const char *path, const struct exchange_format **ret) _must_check_;
