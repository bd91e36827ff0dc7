/*
 * The recordings of a screen: the one shown, which may be replaced by another, and a base to compare with. A preview is shown while
 * a recording is being read.
 *
 *	struct shown s = { host, &request, waiter };
 *	shown_start(&s, &report);                     the request's input, a file or a stream
 *	shown_open(&s, path, &report); …
 *	shown_remarks(&s, &damage);
 *	if (!shown_close(&s)) …
 *
 * A report is borrowed until the next function that returns one. For times, code and samples the calling thread reads the recording
 * again, while the waiter handles the user's input; ERROR_STOPPED if the waiter says so. One calling thread.
 */
#pragma once
#include "session/report/preview.h"
#include "session/report/times.h"

/* What is waited for. */
struct shown_wait {
	const char *name;
	uint64_t done, total; /* bytes; total 0: unknown */
	bool is_long;         /* takes so long that progress should be shown */
};

struct shown_waiter {
	/* Shows the progress and reads keys and signals; false: stop. */
	bool (*tick)(void *ctx, const struct shown_wait *w);
	/* Waits for a key, a signal or fd, up to the timeout. */
	void (*wait)(void *ctx, int fd, int timeout_ms);
	void *ctx;
};

struct shown {
	const struct session_host *host;
	const struct report_request *request;
	struct shown_waiter waiter;
	struct spool *spool;     /* the stream that is shown, or NULL */
	struct opened *file;     /* the preview's own, while there is one */
	struct opening *opening; /* of the recording shown as a preview, or NULL */
	struct preview *preview;
	struct opened *base;     /* the base of the comparison, or NULL */
	uint64_t next_ns;        /* time of the next update of the preview */
	struct shown_wait wait;  /* the last one */
	uint64_t began_ns;       /* when it began */
	bool stopped;            /* by the user */
	bool left_behind;        /* a stuck thread may still use its arguments */
};

struct strobe_error *shown_start(struct shown *s, const struct report **ret) _must_check_;
/* Replaces the recording shown, which stays on error. */
struct strobe_error *shown_open(struct shown *s, const char *path, const struct report **ret) _must_check_;
struct strobe_error *shown_narrow(struct shown *s, struct time_range span, const struct report **ret) _must_check_;
/* Updates a preview, in the end to the full report. */
struct strobe_error *shown_renew(struct shown *s, const struct report **ret) _must_check_;
/* Whether shown_renew() has an update; the time until the next one in milliseconds (-1: never); a descriptor to wait for as well, or -1. */
bool shown_is_due(const struct shown *s);
int shown_wait_ms(const struct shown *s);
int shown_fd(const struct shown *s);
/* Appends, for a preview, the part that is shown. */
void shown_describe(const struct shown *s, struct strbuf *out);

/* Borrowed until the next call; the last one is kept for comparisons with other events. */
struct strobe_error *shown_base(struct shown *s, const char *path, const struct report **ret) _must_check_;
/* As report_count_times(), opened_listing() and opened_list_samples(). ERROR_UNSUPPORTED of a preview. */
struct strobe_error *shown_times(struct shown *s, const struct report_part *part, struct time_range span, unsigned n,
				 struct time_counts *ret) _must_check_;
struct strobe_error *shown_listing(struct shown *s, const struct report_part *part, mapping_id mapping, uint64_t addr,
				   struct listing **ret) _must_check_;
/* Of a listing of that mapping's code. */
struct strobe_error *shown_name_types(struct shown *s, mapping_id mapping, struct listing *l) _must_check_;
struct strobe_error *shown_samples(struct shown *s, const struct listed_choice *which, enum listed_detail detail,
				   struct listed_samples *ret) _must_check_;

/* Reports losses while recording; *ret_damage, which the caller owns: the damage of the recording. Nothing for a preview. */
void shown_remarks(struct shown *s, struct strobe_error **ret_damage);
/* False: a thread is stuck, and still uses the host, the request and the stream. */
bool shown_close(struct shown *s) _must_check_;
