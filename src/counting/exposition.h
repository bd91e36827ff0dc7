/*
 * Counts in progress for a scraper: over HTTP at /metrics, or in a file that is replaced each second.
 *
 * The caller chooses the writer of the text; this part only transports it. Errors name --prometheus. One thread at a time.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"

/* Writes the current counts. */
typedef struct strobe_error *exposition_writer(void *ctx, struct out *out);

struct exposition {
	int listen_fd;     /* -1: it is a file */
	int timer_fd;      /* -1: it is a port */
	const char *file;  /* borrowed */
};

#define EXPOSITION_NONE ((struct exposition){ .listen_fd = -1, .timer_fd = -1 })

/* "9100" listens on 127.0.0.1, "ADDRESS:9100" there; anything else is a file. exposition_close() in any case. */
struct strobe_error *exposition_open(struct exposition *e, const char *text) _must_check_;
void exposition_close(struct exposition *e);
/* The descriptor to wait for; -1: none. */
static inline int exposition_fd(const struct exposition *e)
{
	return e->listen_fd >= 0 ? e->listen_fd : e->timer_fd;
}
/*
 * To be called when that descriptor is readable: writes the counts to the client, or to the file. A client that is slow or sends an
 * invalid request is dropped; only errors of writing the file and of the writer are returned.
 */
struct strobe_error *exposition_serve(struct exposition *e, exposition_writer *write, void *ctx) _must_check_;
/* Writes the file for the last time, if it is a file. */
struct strobe_error *exposition_finish(struct exposition *e, exposition_writer *write, void *ctx) _must_check_;
