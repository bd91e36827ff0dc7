/*
 * Converts a recording sample by sample to JSON or to a CTF trace, as `perf data convert`.
 *
 *	err = conversion_open(&c, host, &options);
 *	err = conversion_to_json(&c, out);          or conversion_to_ctf(&c, directory, …)
 *	conversion_close(&c);                       in any case
 *
 * Of a damaged recording the complete part is written; c.damage is then the error. One thread.
 */
#pragma once
#include "base/out.h"
#include "dump/conversion/samples_ctf.h"
#include "dump/conversion/samples_json.h"
#include "session/session.h"

struct conversion_options {
	const char *input; /* as input_open() takes it */
	const char *times; /* --time, or NULL */
	bool force;        /* the recording may belong to another user */
	bool wall_clock;   /* use times of day, which the recording must have */
};

struct conversion {
	const struct conversion_options *options;
	struct session session;
	struct strobe_error *damage; /* of the recording; freed by conversion_close() unless the caller takes it */
	uint64_t samples, records;   /* number written; records: other than samples */
	/* the rest is private to conversion.c */
	struct samples_json json;
	struct samples_ctf ctf;
	struct out *out;
	const char *directory; /* of CTF */
	bool replace, all_records, has_begun;
};

/* options are borrowed. */
struct strobe_error *conversion_open(struct conversion *c, const struct session_host *host, const struct conversion_options *options)
	_must_check_;
struct strobe_error *conversion_to_json(struct conversion *c, struct out *out) _must_check_;
/* replace: overwrite an existing trace. all_records: not only samples. */
struct strobe_error *conversion_to_ctf(struct conversion *c, const char *directory, bool replace, bool all_records) _must_check_;
void conversion_close(struct conversion *c);
