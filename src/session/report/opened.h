/*
 * Reads a recording for a screen in a thread, so that keys are handled even if reading blocks: a pipe may have no writer, a disk
 * may hang. An opening that is no longer needed is abandoned: a thread that is stuck in the kernel then remains, with all that it
 * may use, until the process ends.
 *
 * A stream is copied to a file by another thread (perfdata/spool.h). Its opening waits for its end and then reads that file.
 *
 * The host and the strings of the request must outlive everything; the creating thread looks up the host's build ID directory and
 * servers, the reading thread may call its say().
 */
#pragma once
#include "perfdata/spool.h"
#include "report/listed_samples.h"
#include "session/report/cycles.h"

/* What is to be read. */
struct opened_input {
	const char *path;        /* NULL: the request's own */
	struct spool *spool;     /* or a stream, as far as received; borrowed */
	struct time_range span;
};

/* A recording that was read and is ready to be shown. */
struct opened {
	const struct session_host *parent;
	struct session_host host;        /* the parent's, with the values that were looked up: */
	const char *buildid_dir;
	struct strobe_error *no_buildid_dir;
	struct debuginfod *servers;
	struct report_session report;
	struct report_built built;
	struct strobe_error *damage;
	struct spool *spool;             /* of a stream; the input of the request is the file with its copy */
	struct profile *counted;         /* by address, once code was requested; or NULL */
	struct report_cycles *cycles;    /* computed together with it; or NULL */
	struct progress progress;        /* its tick belongs to the opening until that ends; then it may be set */
};

/* Nothing is read yet. */
struct opened *opened_create(const struct session_host *host, const struct report_request *request, struct opened_input input);
/* For messages. */
const char *opened_name(const struct opened *f);
void opened_destroy(struct opened *f);

/* The part with an event; name NULL: the first. */
struct strobe_error *opened_find_part(const struct opened *f, const char *name, uint32_t *ret) _must_check_;
/* The code at an address of a mapping of f's profile, with its values; the caller destroys it. The first call reads f again. */
struct strobe_error *opened_listing(struct opened *f, const struct report_part *part, mapping_id mapping, uint64_t addr,
				    struct listing **ret) _must_check_;
/*
 * Samples one by one, in the format of `script`, in a separate session: as many as fit into some megabytes of text, or the
 * request's listed_samples. f->progress can stop it.
 */
struct strobe_error *opened_list_samples(struct opened *f, const struct listed_choice *which, enum listed_detail detail,
					 struct listed_samples *ret) _must_check_;

struct opening;
struct opening *opening_start(const struct session_host *host, const struct report_request *request, struct opened_input input);
/* Readable once it is done. */
int opening_fd(const struct opening *p);
bool opening_is_done(const struct opening *p);
/* total: 0: unknown. */
void opening_progress(const struct opening *p, uint64_t *ret_done, uint64_t *ret_total);
/* Waits for its end; the caller owns the result. */
struct strobe_error *opening_finish(struct opening *p, struct opened **ret) _must_check_;
/* Abandons an opening, which may be NULL. False: its thread is stuck, and keeps using its arguments. */
bool opening_leave(struct opening *p) _must_check_;
