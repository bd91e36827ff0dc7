#include "counting/replay.h"

#include <stdlib.h>

#include "counter/listing.h"
#include "counter/recording.h"
#include "counting/measurement.h"

struct replay {
	const struct replay_settings *settings;
	struct record_source *source;
	struct recording recording;
	struct tally tally;
	char *title; /* NULL until the first round, which creates the tally */
	double last_s;
};

static void show(struct replay *r, struct counts *c, enum tally_what what)
{
	const struct replay_settings *s = r->settings;
	tally_clear(&r->tally);
	tally_add(&r->tally, what);
	c->target = r->title;
	c->metrics_only = s->metrics_only;
	listing_fill(c, &r->tally, (struct listing_options){ .all_threads = false });
	s->show(s->ctx, c);
	counts_deinit(c);
}

/* Shows one round of the recording: an interval, or the whole. */
static void show_round(struct replay *r)
{
	double time_s = (double)r->recording.time_ns / 1e9;
	struct counts c = { .runs = 1, .is_interval = r->recording.interval_ms != 0, .time_s = time_s,
			    .interval_s = time_s - r->last_s, .elapsed = { .mean_s = time_s, .min_s = time_s, .max_s = time_s } };
	/* A final round after intervals adds nothing. */
	if (c.is_interval && r->recording.final)
		return;
	r->last_s = time_s;
	show(r, &c, c.is_interval ? TALLY_SINCE_BEFORE : TALLY_ALL);
}

static void show_summary(struct replay *r)
{
	struct counts c = { .runs = 1, .is_summary = true,
			    .elapsed = { .mean_s = r->last_s, .min_s = r->last_s, .max_s = r->last_s } };
	show(r, &c, TALLY_ALL);
}

static struct strobe_error *make_tally(struct replay *r)
{
	const struct replay_settings *s = r->settings;
	struct recording *rec = &r->recording;
	enum counts_by by = s->by != COUNTS_BY_NOTHING ? s->by : rec->by;
	if (by != COUNTS_BY_NOTHING && by != COUNTS_BY_THREAD && !rec->map.system_wide)
		return error_create(ERROR_USAGE, "cannot aggregate by CPU: the recording contains counts per task");
	struct tally_options options = { .by = by, .cache_level = s->cache_level, .no_merge = s->no_merge,
					 .no_scale = !rec->scale || s->no_scale, .topology = &rec->topology };
	return tally_init(&r->tally, &rec->set, options);
}

/* "'/usr/bin/strobe stat record …'"; for a stream, as in perf, a fixed title. */
static char *make_title(const struct env *env)
{
	char pipe[] = "pipe";
	VEC(char *) words = {};
	for (uint32_t i = 0; i < env->cmdline_nr && !env->is_pipe; i++)
		vec_push(&words, (char *)env->cmdline[i]);
	if (env->is_pipe)
		vec_push(&words, pipe);
	char *title = target_title(&(struct target){}, words.data, (int)words.len);
	vec_deinit(&words);
	return title;
}

static struct strobe_error *read_all(struct replay *r)
{
	for (bool end;;) {
		TRY(recording_next(&r->recording, r->source, &end));
		if (end && r->title && r->recording.interval_ms && r->settings->has_summary)
			show_summary(r);
		if (end)
			return NULL;
		if (!r->title) {
			r->title = make_title(source_env(r->source));
			TRY(make_tally(r));
		}
		show_round(r);
	}
}

struct strobe_error *replay_counts(struct record_source *source, const struct replay_settings *settings)
{
	struct replay r = { .settings = settings, .source = source };
	recording_open(&r.recording);
	struct strobe_error *err = read_all(&r);
	if (r.title)
		tally_deinit(&r.tally);
	recording_close(&r.recording);
	free(r.title);
	return err;
}
