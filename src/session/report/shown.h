/*
 * What a screen shows of recordings: one at a time, another in its place, a base to compare with. What takes long to read is a
 * preview until it is whole.
 *
 *	struct shown s = { host, &request, waiter };
 *	shown_start(&s, &report);                     the request's input, a file or a stream
 *	shown_open(&s, path, &report); …
 *	shown_remarks(&s, &damage);
 *	if (!shown_close(&s)) …
 *
 * A report is borrowed until the next function that gives one. What is read anew, for times, code and samples, is read by the calling
 * thread, which the waiter keeps in touch with the user; ERROR_STOPPED where the waiter said so. One thread calls.
 */
#pragma once
#include "session/report/preview.h"
#include "session/report/times.h"

/* What is waited for. */
struct shown_wait {
	const char *name;
	uint64_t done, total; /* bytes; total 0: not known */
	bool is_long;         /* takes so long that the user should see how far it is */
};

struct shown_waiter {
	/* Shows the progress and reads keys and signals; false: stop. */
	bool (*tick)(void *ctx, const struct shown_wait *w);
	/* Until there is a key or a signal, or fd is readable; at most so long. */
	void (*wait)(void *ctx, int fd, int timeout_ms);
	void *ctx;
};

struct shown {
	const struct session_host *host;
	const struct report_request *request;
	struct shown_waiter waiter;
	struct spool *spool;     /* the stream that is shown, or NULL */
	struct opened *file;     /* the preview's own, as long as there is one */
	struct opening *opening; /* of what is shown as a preview, or NULL */
	struct preview *preview;
	struct opened *base;     /* what shares are compared with, or NULL */
	uint64_t next_ns;        /* when the preview is due to be renewed */
	struct shown_wait wait;  /* the last one */
	uint64_t began_ns;       /* when it began */
	bool stopped;            /* by the user */
	bool left_behind;        /* a thread that is stuck may still use what it was given */
};

struct strobe_error *shown_start(struct shown *s, const struct report **ret) _must_check_;
/* In place of what is shown; on error that stays. */
struct strobe_error *shown_open(struct shown *s, const char *path, const struct report **ret) _must_check_;
struct strobe_error *shown_narrow(struct shown *s, struct time_range span, const struct report **ret) _must_check_;
/* A preview: more of it, and in the end the whole. */
struct strobe_error *shown_renew(struct shown *s, const struct report **ret) _must_check_;
/* Whether shown_renew() has something to give; until when, in milliseconds (-1: never); a file to wait for besides, or -1. */
bool shown_is_due(const struct shown *s);
int shown_wait_ms(const struct shown *s);
int shown_fd(const struct shown *s);
/* Of a preview: how much of the whole is shown. Appended. */
void shown_describe(const struct shown *s, struct strbuf *out);

/* Borrowed until the next one; the last one is kept, since other events of it may be compared with. */
struct strobe_error *shown_base(struct shown *s, const char *path, const struct report **ret) _must_check_;
/* As report_count_times(), opened_listing() and opened_list_samples(). ERROR_UNSUPPORTED of a preview. */
struct strobe_error *shown_times(struct shown *s, const struct report_part *part, struct time_range span, unsigned n,
				 struct time_counts *ret) _must_check_;
struct strobe_error *shown_listing(struct shown *s, const struct report_part *part, mapping_id mapping, uint64_t addr,
				   struct listing **ret) _must_check_;
struct strobe_error *shown_samples(struct shown *s, const struct listed_choice *which, enum listed_detail detail,
				   struct listed_samples *ret) _must_check_;

/* What was lost while recording; *ret_damage, the caller's: where the recording is damaged. Nothing of a preview. */
void shown_remarks(struct shown *s, struct strobe_error **ret_damage);
/* False: a thread is stuck, and remains with the host, the request and the stream. */
bool shown_close(struct shown *s) _must_check_;
