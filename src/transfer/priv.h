/* Shared by the files of this room: an entry that is packed, and an archive that is being unpacked. One thread. */
#pragma once
#include "archive/tar.h"
#include "base/new_file.h"
#include "transfer/archive.h"

/* The name of the inner archive in an archive with a recording: as in newer versions of perf. */
#define SYMBOLS_NAME "perf.symbols.tar.bz2"

/* A build ID cache entry that is packed. */
struct archive_entry {
	const char *cache_dir;   /* or NULL */
	const char *path, *hex;  /* path: without its leading slash */
	const char *elf, *debug; /* the packed files; debug: NULL if none */
};
/* Whether a recording that is a directory may contain a file with that name. */
bool archive_is_recorded(const char *name);
/* Adds its other files with debug information: .dwo files or a .dwp; and dwz's supplement, as an entry of its own. */
struct strobe_error *archive_add_companions(struct tar_writer *w, const struct archive_entry *e) _must_check_;

struct unpack {
	const struct session_host *host;
	const struct archive_options *o;
	const char *cache_dir;
	unsigned files, refused;
	char *recording;   /* file or directory unpacked here, or NULL; owned */
	char *packed_name; /* its name in the archive, or NULL; owned */
};

/* Writes the rest of the entry's content to fd; name is for messages. */
struct strobe_error *archive_copy_content(struct tar_reader *r, int fd, const char *name) _must_check_;
/* Counts an entry that is not unpacked, and reports the reason. */
void archive_refuse(struct unpack *u, const char *path, const char *why);
/*
 * Unpacks the recording, into the current directory or to the selected path: a file ("NAME"), or a file of a directory ("NAME/data",
 * "NAME/data.0"). One per archive; only recordings, and no hidden name. *ret_taken false: the path is not that of a recording.
 */
struct strobe_error *archive_unpack_recording(struct unpack *u, struct tar_reader *r, const struct tar_entry *e,
					      bool *ret_taken) _must_check_;
