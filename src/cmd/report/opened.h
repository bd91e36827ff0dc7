/*
 * A recording that is read for a screen.
 *
 * It is read by a thread, so that keys are heard whatever the file does: a pipe may have no writer, a disk may hang. Who does
 * not want to wait leaves it: a thread that is stuck in the kernel then stays behind, with all that it may still touch, until the
 * process ends.
 *
 * What takes long is shown before it is whole, as far as a second reader has come by then: a preview. It counts records in the
 * order of the file and knows processes as they were told up to there, so its rows are near the truth and not it; the whole
 * report takes its place. One thread besides that of the opening, which shares nothing with it but the options.
 *
 * A stream is kept in a file by a thread of its own (perfdata/spool.h). Its opening waits for its end and then reads that file;
 * until then the preview reads it up to the last record that has come whole.
 */
#pragma once
#include "cmd/report/run.h"
#include "session/report/cycles.h"
#include "perfdata/spool.h"

/* What is to be read. */
struct opened_input {
	const char *path;        /* NULL: the options' own */
	struct spool *spool;     /* or a stream, as far as it has come; borrowed */
	struct time_range span;
};

/* One recording, read and ready to be shown. */
struct opened {
	struct cmd_context ctx;  /* what commands find out for one recording: a copy, so that two can be open at once */
	struct report_session run;
	struct report_built built;
	struct strobe_error *damage;
	struct spool *spool;     /* where it is a stream; the input of the request is the file that it is kept in */
	struct profile *counted; /* by address, once code was to be shown; or NULL */
	struct report_cycles *cycles; /* made together with it; or NULL */
	struct progress progress; /* its tick is the owner's: the opening's up to its end, then free to be set */
};

/* Nothing is read yet. */
struct opened *opened_create(const struct cmd_context *ctx, const struct report_request *request, struct opened_input input);
/* For messages. */
const char *opened_name(const struct opened *f);
void opened_destroy(struct opened *f);

struct opening;
struct opening *opening_start(const struct cmd_context *ctx, const struct report_request *request, struct opened_input input);
/* Readable once it is done. */
int opening_fd(const struct opening *p);
bool opening_is_done(const struct opening *p);
/* total: 0 where it is not known. */
void opening_progress(const struct opening *p, uint64_t *ret_done, uint64_t *ret_total);
/* Waits for its end; what was read is the caller's. */
struct strobe_error *opening_finish(struct opening *p, struct opened **ret) _must_check_;
/* It is not wanted any more; may be NULL. False: its thread is stuck, and stays behind with what it was given. */
bool opening_leave(struct opening *p) _must_check_;

struct preview;
/* Opens a file a second time, or the beginning of a stream; NULL: it cannot be shown in parts, or not yet. */
struct preview *preview_open(const struct cmd_context *ctx, const struct report_request *request, struct opened_input input);
void preview_close(struct preview *p);
/* Reads on for so long: a new report of all that was read, the old one is gone. NULL: there is no sample yet, or it is damaged. */
const struct report *preview_read_on(struct preview *p, uint64_t ns);
/* "the first 12%": what is shown of the whole, as far as that is known. Appended. */
void preview_tell(const struct preview *p, struct strbuf *out);
struct opened *preview_file(struct preview *p);

/*
 * Samples of f one by one, in the form of `script`, in a session of their own: as many as fit into some megabytes of text, or as
 * listed_samples of the request says. f->progress can stop it.
 */
struct strobe_error *report_print_samples(struct opened *f, const struct browse_choice *which, enum browse_detail detail,
					  struct browse_samples *ret) _must_check_;
