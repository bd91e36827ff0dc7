/*
 * Counts in progress for a scraper: over HTTP at /metrics, or in a file that is replaced as a whole each second.
 *
 * Who writes the text is the caller's choice; this room only carries it. Errors name --prometheus. One thread at a time.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"

/* Writes the counts as they are now. */
typedef struct strobe_error *exposition_writer(void *ctx, struct out *out);

struct exposition {
	int listen_fd;     /* -1 where it is a file */
	int timer_fd;      /* -1 where it is a port */
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
 * That descriptor is readable: the counts go to the client, or into the file. A client that is slow or sends nonsense is dropped;
 * only a file that cannot be written is an error, and what the writer returns.
 */
struct strobe_error *exposition_serve(struct exposition *e, exposition_writer *write, void *ctx) _must_check_;
/* Writes the file for the last time, if it is a file. */
struct strobe_error *exposition_finish(struct exposition *e, exposition_writer *write, void *ctx) _must_check_;
