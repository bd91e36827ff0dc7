/*
 * The files that a recording needs, into an archive for another machine, and out of it: what `strobe archive` does.
 *
 * An archive holds files by path and build ID, as the build ID cache has them, and the recording too where that is chosen: the
 * files are an archive in it then. One that is unpacked may come from anywhere: see unpack.c. Messages go through the host.
 * One thread.
 */
#pragma once
#include "session/host.h"

struct archive_options {
	const char *input, *output; /* output NULL: a name made of the recording's, or of host and time */
	const char *recording;      /* where the recording is unpacked to; NULL: into the current directory, by the archive's name for it */
	bool all, unpack, force;
	unsigned verbose;
};

/* *ret_name: the archive, for the caller to free; NULL on an error. */
struct strobe_error *archive_pack(const struct session_host *host, const struct archive_options *o, char **ret_name) _must_check_;
/*
 * archive NULL: the one in the current directory, if there is only one. *ret_recording: the recording that was unpacked, also
 * before an error, for the caller to free; or NULL.
 */
struct strobe_error *archive_unpack(const struct session_host *host, const struct archive_options *o, const char *archive,
				    char **ret_recording) _must_check_;
/* The same of an open one, from its position; name is for messages. */
struct strobe_error *archive_unpack_fd(const struct session_host *host, const struct archive_options *o, int fd, const char *name,
				       char **ret_recording) _must_check_;
