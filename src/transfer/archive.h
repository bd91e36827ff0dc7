/*
 * Packs the files that a recording needs into an archive for another machine, and unpacks it: `strobe archive`.
 *
 * An archive contains files by path and build ID, like the build ID cache, and optionally the recording; the files are then an
 * archive within the archive. Archives are untrusted: see unpack.c. Messages go through the host. One thread.
 */
#pragma once
#include "session/host.h"

struct archive_options {
	const char *input, *output; /* output NULL: a name made from the recording's, or from host and time */
	const char *recording;      /* path to unpack the recording to; NULL: the archive's name for it, in the current directory */
	bool all, unpack, force;
	unsigned verbose;
};

/* *ret_name: the archive, owned by the caller; NULL on an error. */
struct strobe_error *archive_pack(const struct session_host *host, const struct archive_options *o, char **ret_name) _must_check_;
/*
 * archive NULL: the only one in the current directory. *ret_recording: the unpacked recording, also set before an error, owned by the
 * caller; or NULL.
 */
struct strobe_error *archive_unpack(const struct session_host *host, const struct archive_options *o, const char *archive,
				    char **ret_recording) _must_check_;
/* The same for an open archive, from its position; name is for messages. */
struct strobe_error *archive_unpack_fd(const struct session_host *host, const struct archive_options *o, int fd, const char *name,
				       char **ret_recording) _must_check_;
