/*
 * What the files of this room share: an entry that is packed, and an archive that is being unpacked. One thread.
 */
#pragma once
#include "archive/tar.h"
#include "base/new_file.h"
#include "transfer/archive.h"

/* Of an archive with the recording in it, the name of the archive inside: as newer versions of perf have it. */
#define SYMBOLS_NAME "perf.symbols.tar.bz2"

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

struct unpack {
	const struct session_host *host;
	const struct archive_options *o;
	const char *cache_dir;
	unsigned files, refused;
	char *recording;   /* file or directory unpacked here, or NULL; owned */
	char *packed_name; /* its name in the archive, or NULL; owned */
};

/* The rest of the entry's content to fd; name is for messages. */
struct strobe_error *archive_copy_content(struct tar_reader *r, int fd, const char *name) _must_check_;
/* Counts an entry that is not unpacked, and says why. */
void archive_refuse(struct unpack *u, const char *path, const char *why);
/*
 * The recording, into the current directory or to the path that was chosen: a file ("NAME"), or a file of a directory ("NAME/data",
 * "NAME/data.0"). One per archive; only content that is a recording, and no hidden name. *ret_taken false: the path is not that of a
 * recording.
 */
struct strobe_error *archive_unpack_recording(struct unpack *u, struct tar_reader *r, const struct tar_entry *e,
					      bool *ret_taken) _must_check_;
