/*
 * `record` on another machine: strobe runs there, and the recording comes back as an archive with the files that its names are from,
 * which are unpacked into the build ID cache here.
 *
 * What the command reads and prints passes through. Signals that would end us end the recording there first; a second one ends ssh.
 * Nothing stays there but a copied strobe, in ~/.cache/strobe. One thread.
 */
#pragma once
#include "session/host.h"

struct remote_record {
	const char *destination;     /* as ssh has it */
	const char *const *options;  /* of record, as they are for that machine; end with NULL */
	bool had_dashes;             /* a "--" is between them and the command: which is never an option then */
	const char *const *command;  /* ends with NULL; NULL: there is none */
	const char *output;          /* of the recording here */
};

/* *ret_status: of the recorder there, which passes on that of the command; *ret_recorded: there is a file here. */
struct strobe_error *remote_record_run(const struct session_host *host, const struct remote_record *r, int *ret_status,
				       bool *ret_recorded) _must_check_;
