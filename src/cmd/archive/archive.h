/* What the files of archive share: packing, and unpacking. */
#pragma once
#include "cmd/cmd.h"

/* Of an archive with the recording in it, the names inside: as newer versions of the reference have them. */
#define SYMBOLS_NAME "perf.symbols.tar.bz2"

struct archive_options {
	const char *input, *output;
	bool all, unpack, force;
	unsigned verbose;
};

int archive_pack(struct cmd_context *ctx, const struct archive_options *o, const char *cache_dir);
/* archive NULL: the one in the current directory, if there is only one. */
int archive_unpack(struct cmd_context *ctx, const struct archive_options *o, const char *archive, const char *cache_dir);
