/*
 * An archive that is being unpacked: what its entries share. One thread.
 */
#pragma once
#include "archive/tar.h"
#include "base/new_file.h"
#include "cmd/archive/archive.h"

struct unpack {
	struct cmd_context *ctx;
	const struct archive_options *o;
	const char *cache_dir;
	unsigned files, refused;
	char *recording; /* file or directory unpacked here, or NULL; owned */
};

/* The rest of the entry's content to fd; name is for messages. */
struct strobe_error *archive_copy_content(struct tar_reader *r, int fd, const char *name) _must_check_;
/* Counts an entry that is not unpacked, and prints why. */
void archive_refuse(struct unpack *u, const char *path, const char *why);
/*
 * The recording, into the current directory: a file ("NAME"), or a file of a directory ("NAME/data", "NAME/data.0"). One per
 * archive; only content that is a recording, and no hidden name. *ret_taken false: the path is not that of a recording.
 */
struct strobe_error *archive_unpack_recording(struct unpack *u, struct tar_reader *r, const struct tar_entry *e,
					      bool *ret_taken) _must_check_;
