/*
 * --prometheus: running counts for a scraper, over HTTP or in a file that is replaced as a whole.
 */
#pragma once
#include "base/error.h"
#include "base/out.h"

struct stat_expose {
	int listen_fd;     /* -1 where it is a file */
	int timer_fd;      /* -1 where it is a port */
	const char *file;
};

/* "9100" listens on 127.0.0.1, "ADDRESS:9100" there; anything else is a file, written anew each second. */
struct strobe_error *stat_expose_open(struct stat_expose *e, const char *text) _must_check_;
void stat_expose_close(struct stat_expose *e);
/* What to wait for; -1: none. */
static inline int stat_expose_fd(const struct stat_expose *e)
{
	return e->listen_fd >= 0 ? e->listen_fd : e->timer_fd;
}
/*
 * That descriptor is readable: fn writes the counts as they are now, for whoever asked. A client that is slow or rude is
 * dropped; only a file that cannot be written is an error.
 */
struct strobe_error *stat_expose_serve(struct stat_expose *e, struct strobe_error *(*fn)(void *ctx, struct out *out),
				       void *ctx) _must_check_;
/* Once more at the end, where it is a file. */
struct strobe_error *stat_expose_finish(struct stat_expose *e, struct strobe_error *(*fn)(void *ctx, struct out *out),
					void *ctx) _must_check_;
