/* strobe stat report: counts from a recording, gathered as recorded or as asked for now. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmd/stat/output.h"
#include "cmd/stat/record.h"
#include "counter/listing.h"
#include "perfdata/reader.h"
#include "session/input.h"

struct report {
	struct cmd_context *ctx;
	struct stat_options *o;
	struct record_source *source;
	struct recording recording;
	struct stat_output output;
	struct tally tally;
	bool has_tally;
	double last_s;
};

static void show(struct report *r, struct counts *c)
{
	c->metrics_only = r->o->metric_only;
	listing_fill(c, &r->tally, (struct listing_options){ .all_threads = false });
	stat_output_show(&r->output, c);
	counts_deinit(c);
}

/* One round of the recording: an interval where it has such, else the whole. */
static void show_round(struct report *r)
{
	double time_s = (double)r->recording.time_ns / 1e9;
	struct counts c = { .runs = 1, .is_interval = r->recording.interval_ms != 0, .time_s = time_s,
			    .interval_s = time_s - r->last_s, .elapsed = { .mean_s = time_s, .min_s = time_s, .max_s = time_s } };
	/* A final round behind intervals holds nothing more. */
	if (c.is_interval && r->recording.final)
		return;
	r->last_s = time_s;
	tally_clear(&r->tally);
	tally_add(&r->tally, c.is_interval ? TALLY_SINCE_BEFORE : TALLY_ALL);
	show(r, &c);
}

static void show_summary(struct report *r)
{
	struct counts c = { .runs = 1, .is_summary = true,
			    .elapsed = { .mean_s = r->last_s, .min_s = r->last_s, .max_s = r->last_s } };
	tally_clear(&r->tally);
	tally_add(&r->tally, TALLY_ALL);
	show(r, &c);
}

static struct strobe_error *make_tally(struct report *r)
{
	struct recording *rec = &r->recording;
	enum counts_by by = r->o->by != COUNTS_BY_NOTHING ? r->o->by : rec->by;
	if (by != COUNTS_BY_NOTHING && by != COUNTS_BY_THREAD && !rec->map.system_wide)
		return error_create(ERROR_USAGE, "cannot aggregate by CPU: the recording contains counts per task");
	struct tally_options options = { .by = by, .cache_level = r->o->cache_level, .no_merge = r->o->no_merge,
					 .no_scale = !rec->scale || !r->o->scale, .topology = &rec->topology };
	r->has_tally = true;
	return tally_init(&r->tally, &rec->set, options);
}

/* "'/usr/bin/strobe stat record …'"; of a stream, as in perf, that it is one. */
static void set_title(struct report *r)
{
	const struct env *env = source_env(r->source);
	VEC(char *) words = {};
	for (uint32_t i = 0; i < env->cmdline_nr && !env->is_pipe; i++)
		vec_push(&words, (char *)env->cmdline[i]);
	if (env->is_pipe)
		vec_push(&words, (char *)"pipe");
	struct stat_options none = {};
	stat_output_title(&r->output, &none, words.data, (int)words.len);
	vec_deinit(&words);
}

static struct strobe_error *read_all(struct report *r)
{
	bool end;
	for (;;) {
		TRY(recording_next(&r->recording, r->source, &end));
		if (end && r->recording.interval_ms && r->o->summary)
			show_summary(r);
		if (end)
			return NULL;
		if (!r->has_tally) {
			set_title(r);
			TRY(make_tally(r));
		}
		show_round(r);
	}
}

int stat_report(struct cmd_context *ctx, struct stat_options *o)
{
	struct report r = { .ctx = ctx, .o = o };
	struct strobe_error *err = input_open(o->input, true, &r.source);
	if (err)
		return cmd_fail(ctx, err);
	recording_open(&r.recording);
	err = stat_output_open(&r.output, o);
	if (!err) {
		err = read_all(&r);
		struct strobe_error *write_error = stat_output_close(&r.output);
		if (!err)
			err = write_error;
		else
			error_destroy(write_error);
	}
	if (!err)
		input_remarks(cmd_host(ctx), r.source, NULL);
	if (r.has_tally)
		tally_deinit(&r.tally);
	recording_close(&r.recording);
	source_destroy(r.source);
	return cmd_fail(ctx, err);
}
