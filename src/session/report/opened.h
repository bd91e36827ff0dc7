/*
 * A recording that is read for a screen, by a thread, so that keys are read whatever the file does: a pipe may have no writer, a
 * disk may hang. An opening that is no longer needed is left: a thread that is stuck in the kernel then remains, with all that it
 * may still use, until the process ends.
 *
 * A stream is kept in a file by a thread of its own (perfdata/spool.h). Its opening waits for its end and then reads that file.
 *
 * The host and the strings of the request outlive all of it; the host's build ID directory and servers are looked up by the thread that
 * creates, its say() may be called by the thread that reads.
 */
#pragma once
#include "perfdata/spool.h"
#include "report/listed_samples.h"
#include "session/report/cycles.h"

/* What is to be read. */
struct opened_input {
	const char *path;        /* NULL: the request's own */
	struct spool *spool;     /* or a stream, as far as it has come; borrowed */
	struct time_range span;
};

/* One recording, read and ready to be shown. */
struct opened {
	const struct session_host *parent;
	struct session_host host;        /* the parent's, with what was looked up: */
	const char *buildid_dir;
	struct strobe_error *no_buildid_dir;
	struct debuginfod *servers;
	struct report_session report;
	struct report_built built;
	struct strobe_error *damage;
	struct spool *spool;             /* of a stream; the input of the request is the file that it is kept in */
	struct profile *counted;         /* by address, once code was to be shown; or NULL */
	struct report_cycles *cycles;    /* made together with it; or NULL */
	struct progress progress;        /* its tick is the owner's: the opening's up to its end, then free to be set */
};

/* Nothing is read yet. */
struct opened *opened_create(const struct session_host *host, const struct report_request *request, struct opened_input input);
/* For messages. */
const char *opened_name(const struct opened *f);
void opened_destroy(struct opened *f);

/* The part that shows an event, or the first where name is NULL. */
struct strobe_error *opened_find_part(const struct opened *f, const char *name, uint32_t *ret) _must_check_;
/* The code at an address of a mapping of f's profile, with what it cost; the caller destroys it. The first time f is read again. */
struct strobe_error *opened_listing(struct opened *f, const struct report_part *part, mapping_id mapping, uint64_t addr,
				    struct listing **ret) _must_check_;
/*
 * Samples one by one, in the form of `script`, in a session of their own: as many as fit into some megabytes of text, or as
 * listed_samples of the request says. f->progress can stop it.
 */
struct strobe_error *opened_list_samples(struct opened *f, const struct listed_choice *which, enum listed_detail detail,
					 struct listed_samples *ret) _must_check_;

struct opening;
struct opening *opening_start(const struct session_host *host, const struct report_request *request, struct opened_input input);
/* Readable once it is done. */
int opening_fd(const struct opening *p);
bool opening_is_done(const struct opening *p);
/* total: 0 where it is not known. */
void opening_progress(const struct opening *p, uint64_t *ret_done, uint64_t *ret_total);
/* Waits for its end; what was read is the caller's. */
struct strobe_error *opening_finish(struct opening *p, struct opened **ret) _must_check_;
/* No longer needed; may be NULL. False: its thread is stuck, and remains with what it was given. */
bool opening_leave(struct opening *p) _must_check_;
