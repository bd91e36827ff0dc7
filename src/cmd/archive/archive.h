/* What the files of archive share: packing, and unpacking. */
#pragma once
#include "cmd/cmd.h"

/* Of an archive with the recording in it, the names inside: as newer versions of the reference have them. */
#define SYMBOLS_NAME "perf.symbols.tar.bz2"

struct tar_writer;

struct archive_options {
	const char *input, *output;
	bool all, unpack, force;
	unsigned verbose;
};

int archive_pack(struct cmd_context *ctx, const struct archive_options *o, const char *cache_dir);
/* An entry of the build-id cache that is packed. */
struct archive_entry {
	const char *cache_dir;   /* or NULL */
	const char *path, *hex;  /* path: without its first slash */
	const char *elf, *debug; /* what was packed; debug: NULL where it has none */
};
/* Whether a recording that is a directory may have a file of that name. */
bool archive_is_recorded(const char *name);

/* What its debug information lies in besides: .dwo files or a .dwp; and dwz's supplement, as an entry of its own. */
struct strobe_error *archive_add_companions(struct tar_writer *w, const struct archive_entry *e) _must_check_;
/* archive NULL: the one in the current directory, if there is only one. */
int archive_unpack(struct cmd_context *ctx, const struct archive_options *o, const char *archive, const char *cache_dir);
