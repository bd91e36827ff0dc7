/*
 * The rings as a record source, one round after the other.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "capture/session_priv.h"

struct live_source {
	struct record_source source;
	struct capture *capture;
	size_t ring;    /* where the round goes on */
	bool marked;    /* the round has been ended */
	uint64_t given; /* records of this round */
	struct perf_event_header round;
};

static struct strobe_error *live_next(struct record_source *source, struct record *ret, bool *ret_end)
{
	struct live_source *s = (struct live_source *)source;
	struct capture *c = s->capture;
	*ret_end = false;
	for (; s->ring < c->rings.len; s->ring++) {
		struct ring *r = &c->rings.data[s->ring];
		if (!r->backward && ring_next(r, ret)) {
			s->given++;
			ring_stats_count(&c->readers.data[0].stats, ret->hdr, ret->hdr->size);
			return NULL;
		}
	}
	if (s->given && !s->marked) {
		s->marked = true;
		*ret = (struct record){ .hdr = &s->round };
		return NULL;
	}
	/* The caller waits for more, and the next call begins a round. */
	s->ring = 0;
	s->given = 0;
	s->marked = false;
	*ret_end = true;
	return NULL;
}

static const struct env *live_env(struct record_source *source)
{
	return ((struct live_source *)source)->capture->env;
}

static bool live_stable(struct record_source *source)
{
	return false; /* the kernel overwrites delivered records */
}

static void live_destroy(struct record_source *source)
{
	free(source);
}

static const struct record_source_ops live_ops = {
	.next = live_next,
	.env = live_env,
	.stable = live_stable,
	.destroy = live_destroy,
};

struct record_source *capture_source(struct capture *c)
{
	struct live_source *s = xcalloc(1, sizeof(*s));
	s->source.ops = &live_ops;
	s->capture = c;
	s->round = (struct perf_event_header){ .type = RECORD_FINISHED_ROUND, .size = sizeof(s->round)};
	return &s->source;
}
