#include "exchange/pprof_stream.h"

#include <stdlib.h>

#include "base/mem.h"
#include "exchange/pprof_read_priv.h"

struct pprof_stream {
	struct pprof_reader reader; /* its tables, but no rows */
	struct callgraph_samples samples; /* empty until they have been checked */
	uint32_t event;
	int64_t total;
	struct cursor at;
	struct pprof_sample sample; /* the current one, and its frames, outermost first */
	VEC(frame_id) path;
	size_t frames_max;          /* of any sample */
};

/* One pass over all samples, so that summing cannot fail. */
static struct strobe_error *check(struct pprof_stream *s)
{
	struct strobe_error *err = NULL;
	uint64_t frames = 0, most = pprof_most_frames(cursor_left(&s->reader.file));
	s->at = s->reader.file;
	while (pprof_next_sample(&s->reader, &s->at, &s->sample, &err)) {
		int64_t value = s->sample.values.data[s->event];
		size_t n = 0;
		for (size_t i = 0; i < s->sample.path.len; i++)
			n += s->reader.locations.data[s->sample.path.data[i]].nr;
		s->frames_max = n > s->frames_max ? n : s->frames_max;
		frames += n;
		if (value < 0 || __builtin_add_overflow(s->total, value, &s->total) || frames > most)
			return error_create(ERROR_UNSUPPORTED, "its samples cannot be summed one by one");
	}
	return err;
}

static void rewind_samples(void *ctx)
{
	struct pprof_stream *s = ctx;
	s->at = s->reader.file;
}

static bool next_sample(void *ctx, struct callgraph_sample *ret)
{
	struct pprof_stream *s = ctx;
	struct strobe_error *err = NULL;
	if (!pprof_next_sample(&s->reader, &s->at, &s->sample, &err)) {
		error_destroy(err); /* cannot fail: the samples have been checked */
		return false;
	}
	size_t nr = 0;
	vec_reserve(&s->path, s->frames_max);
	for (size_t i = s->sample.path.len; i--;) {
		const struct stack_step *step = &s->reader.locations.data[s->sample.path.data[i]];
		const frame_id *frames = s->reader.frames.data + step->first;
		s->path.data[nr++] = frames[0];
		for (uint32_t f = 1; f < step->nr; f++)
			s->path.data[nr++] = frames[f];
	}
	s->path.len = nr;
	*ret = (struct callgraph_sample){ s->path.data, (uint32_t)s->path.len, s->sample.values.data[s->event] };
	return true;
}

struct strobe_error *pprof_stream_create(const struct exchange_bytes *bytes, struct pprof_stream **ret)
{
	*ret = NULL;
	if (exchange_probe(bytes->p, bytes->n) != exchange_find("pprof"))
		return error_create(ERROR_FORMAT, "it is not a profile of pprof");
	struct pprof_stream *s = xcalloc(1, sizeof(*s));
	pprof_reader_init(&s->reader, bytes->p, bytes->n);
	struct strobe_error *err = pprof_read_tables(&s->reader);
	if (err)
		pprof_stream_destroy(s);
	else
		*ret = s;
	return err;
}

struct strobe_error *pprof_stream_sum(struct pprof_stream *s, const char *value)
{
	TRY(profile_choose_event(s->reader.p, value, &s->event));
	TRY(check(s));
	s->samples = (struct callgraph_samples){ s, rewind_samples, next_sample };
	return NULL;
}

void pprof_stream_destroy(struct pprof_stream *s)
{
	if (!s)
		return;
	profile_destroy(s->reader.p);
	pprof_reader_deinit(&s->reader);
	pprof_sample_deinit(&s->sample);
	vec_deinit(&s->path);
	free(s);
}

const struct profile *pprof_stream_tables(const struct pprof_stream *s)
{
	return s->reader.p;
}

int64_t pprof_stream_total(const struct pprof_stream *s)
{
	return s->total;
}

const struct callgraph_samples *pprof_stream_samples(const struct pprof_stream *s)
{
	return s->samples.next ? &s->samples : NULL;
}
