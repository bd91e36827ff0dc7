/*
 * Formats that `convert` reads and writes: those of exchange/ and, for writing, folded stacks and callgrind's, which are views of one
 * event of a profile. Selected by a format name or by the name of the file. ERROR_USAGE lists the known ones.
 */
#pragma once
#include "exchange/exchange.h"

/* name NULL: *ret is NULL, and the contents determine the format. */
struct strobe_error *profile_format_to_read(const char *name, const struct exchange_format **ret) _must_check_;
/* name NULL: by the extension of the path. */
struct strobe_error *profile_format_to_write(const char *name, const char *path, const struct exchange_format **ret) _must_check_;
