/*
 * The files of a recording, by build ID: what buildid-list shows, buildid-cache looks for and archive packs.
 *
 * A list in the header is used unchanged, unless hits are requested. Without one (streams, and recorders that write IDs into
 * MMAP2) the files are those with samples. Traces in AUX data are not decoded for this: all files are listed then.
 */
#pragma once
#include "base/arena.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "record/source.h"

struct recorded_file {
	const uint8_t *build_id;
	size_t build_id_len;
	const char *path; /* NULL: the id alone */
};

enum recorded_which {
	RECORDED_LISTED,  /* by the header's list; without one, the hits */
	RECORDED_HIT,     /* with addresses of samples: perf's hits */
	RECORDED_NEEDED,  /* these, those of callers in recorded chains and, if stacks were dumped, all files with code */
};

/* Zeroed is empty. Strings live until recorded_files_deinit(). */
struct recorded_files {
	VEC(struct recorded_file) list;
	struct record_source *source, *reader; /* the reader is the source's, and what input_remarks() takes */
	struct machine *machine;
	struct arena names; /* paths and build IDs that are not the source's */
	struct u64map known; /* hashes of the rows of the list that have a path */
	struct u64map ids;   /* path's hash → index in env->build_ids */
};

/* On error the files of complete records are listed. Call it once per zeroed struct. */
struct strobe_error *recorded_files_read(const char *input, bool force, enum recorded_which which,
					 struct recorded_files *ret) _must_check_;
/* The build ID of a program in place of a recording: false where the file is not an object, or has none. */
bool recorded_files_of_object(const char *path, struct recorded_files *ret);
/* The build ID of the running kernel. */
struct strobe_error *recorded_files_of_kernel(struct recorded_files *ret) _must_check_;
void recorded_files_deinit(struct recorded_files *files);
