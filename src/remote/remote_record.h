/*
 * `record` on another machine: strobe runs there, and the recording is sent back as an archive with the files for its symbols, which
 * are unpacked into the build ID cache here.
 *
 * Input and output of the command are passed through. Signals that would end us end the recording there first; a second one ends ssh.
 * Nothing remains there except a copied strobe, in ~/.cache/strobe. One thread.
 */
#pragma once
#include "session/host.h"

struct remote_record {
	const char *destination;     /* as for ssh */
	const char *const *options;  /* of record, valid on that machine; end with NULL */
	bool had_dashes;             /* a "--" precedes the command, which is then never an option */
	const char *const *command;  /* ends with NULL; NULL: none */
	const char *output;          /* path of the recording here */
};

/* *ret_status: of the recorder there, which passes on the command's; *ret_recorded: a file was written here. */
struct strobe_error *remote_record_run(const struct session_host *host, const struct remote_record *r, int *ret_status,
				       bool *ret_recorded) _must_check_;
