#include "cmd/stat/vs.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "cmd/stat/events.h"
#include "cmd/stat/output.h"
#include "cmd/stat/run.h"
#include "counter/compare.h"
#include "counter/tally.h"
#include "table/table.h"
#include "view/data/table_data.h"
#include "view/text/table_text.h"

/* Of the first runs the spread is learnt, and from that how many there shall be. */
#define PILOT_PAIRS     12
#define PAIRS_MAX       1000
#define SECONDS_MAX     60.0
/* Half the width that intervals of ratios shall have: differences of twice that are then found almost always. */
#define PRECISION       0.01
#define CHANCE          0.05
/* Interquartile ranges beyond the quartiles: Tukey's outer fences. */
#define OUTLIER_FENCES  3.0
#define OUTLIERS_NAMED  4

typedef VEC(char *) word_list;
typedef VEC(double) series;

struct side {
	const char *name;
	char **argv;
	int argc;
	struct stat_session session;
	struct tally tally;
	bool ready;
	series elapsed;
	unsigned failed;
	int failed_status;
};

struct versus {
	struct cmd_context *ctx;
	struct stat_options *o;
	struct side sides[2];
	struct metric_set metrics; /* none: the choice of events asks for a set */
	word_list words;           /* of the second command */
	uint64_t random;
};

/* Words of a command line, with quotes and backslashes; what only a shell can do is refused. */
static struct strobe_error *split_words(const char *text, word_list *ret)
{
	struct strbuf word = {};
	bool in_word = false;
	for (const char *c = text; *c; c++) {
		if (isspace((unsigned char)*c)) {
			if (in_word)
				vec_push(ret, strbuf_take(&word));
			in_word = false;
			continue;
		}
		if (!in_word)
			strbuf_addstr(&word, "");
		in_word = true;
		if (*c == '\'' || *c == '"') {
			char quote = *c++;
			for (; *c && *c != quote; c++) {
				if (quote == '"' && *c == '\\' && (c[1] == '"' || c[1] == '\\'))
					c++;
				strbuf_addch(&word, *c);
			}
			if (!*c) {
				strbuf_deinit(&word);
				return error_create(ERROR_USAGE, "--vs: unterminated quote in \"%s\"", text);
			}
		} else if (*c == '\\' && c[1]) {
			strbuf_addch(&word, *++c);
		} else if (strchr("|&;<>()$`*?[]", *c)) {
			strbuf_deinit(&word);
			return error_create(ERROR_USAGE, "--vs: '%c' in \"%s\" requires a shell; write: sh -c '...'", *c, text);
		} else {
			strbuf_addch(&word, *c);
		}
	}
	if (in_word)
		vec_push(ret, strbuf_take(&word));
	strbuf_deinit(&word);
	return ret->len ? NULL : error_create(ERROR_USAGE, "--vs requires a command");
}

static struct strobe_error *prepare_side(struct versus *v, struct side *side)
{
	struct stat_session *s = &side->session;
	struct stat_options *o = v->o;
	bool whole = o->target.system_wide || o->target.cpus;
	*s = (struct stat_session){ .ctx = v->ctx, .options = o, .sys = o->sys, .signals = CMD_SIGNALS_NONE,
				    .control = { .fd = -1, .ack_fd = -1 }, .target = o->target, .argv = side->argv,
				    .argc = side->argc, .counts_command = !whole };
	struct counter_options options = {
		.start = whole ? COUNTER_START_CALLED : COUNTER_START_ON_EXEC,
		.no_inherit = o->no_inherit,
		.all_user = o->all_user,
		.all_kernel = o->all_kernel,
		.bundle = true,
		.hold_tracepoints = true,
	};
	TRY(target_resolve(s->sys, &s->target, whole ? 0 : getpid(), &s->map));
	counter_init(&s->set, s->sys, &o->events, &s->map, options);
	side->ready = true;
	return tally_init(&side->tally, &s->set, (struct tally_options){ .no_scale = !o->scale, .keep_values = true });
}

static void free_side(struct side *side)
{
	if (side->ready) {
		tally_deinit(&side->tally);
		counter_deinit(&side->session.set);
	}
	target_map_deinit(&side->session.map);
	vec_deinit(&side->elapsed);
}

static struct strobe_error *run_side(struct versus *v, struct side *side, bool counts)
{
	struct stat_session *s = &side->session;
	counter_reset(&s->set);
	TRY(stat_session_run(s));
	if (s->signal || !counts)
		return NULL;
	if (s->status) {
		side->failed++;
		side->failed_status = s->status;
	}
	tally_add(&side->tally, TALLY_ALL);
	vec_push(&side->elapsed, s->elapsed_s);
	return NULL;
}

/* xorshift: which of the two goes first. */
static bool toss(struct versus *v)
{
	v->random ^= v->random << 13;
	v->random ^= v->random >> 7;
	v->random ^= v->random << 17;
	return v->random >> 40 & 1;
}

static bool interrupted(const struct versus *v)
{
	return v->sides[0].session.signal || v->sides[1].session.signal;
}

static struct strobe_error *run_pair(struct versus *v, bool counts)
{
	bool b_first = toss(v);
	TRY(run_side(v, &v->sides[b_first], counts));
	return interrupted(v) ? NULL : run_side(v, &v->sides[!b_first], counts);
}

static struct compare_series values_of(const struct side *side, uint32_t event)
{
	const struct tally_cell *c = tally_cell(&side->tally, event, 0);
	return (struct compare_series){ c->values.data, c->values.len };
}

static bool is_counted(const struct versus *v, uint32_t event)
{
	for (int i = 0; i < 2; i++) {
		const struct tally_cell *c = tally_cell(&v->sides[i].tally, event, 0);
		if (!v->sides[i].session.set.events.data[event].supported || !(c->running.mean > 0))
			return false;
	}
	return v->sides[0].tally.event_of_event[event] == event;
}

/* The noisiest of what can be measured at all decides; of a count that spreads wildly nothing is asked. */
static uint64_t pairs_needed(const struct versus *v)
{
	size_t most = 0;
	for (uint32_t i = 0; i < v->sides[0].session.set.events.len; i++) {
		size_t n = is_counted(v, i) ? compare_runs_needed(values_of(&v->sides[0], i), values_of(&v->sides[1], i), PRECISION) :
					      SIZE_MAX;
		if (n != SIZE_MAX && n > most)
			most = n;
	}
	double pair_s = 0;
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < v->sides[i].elapsed.len; k++)
			pair_s += v->sides[i].elapsed.data[k] / PILOT_PAIRS;
	uint64_t limit = pair_s > 0 ? (uint64_t)(SECONDS_MAX / pair_s) : PAIRS_MAX;
	limit = limit > PAIRS_MAX ? PAIRS_MAX : limit;
	if (most > limit)
		log_info("intervals of 1 %% would require %zu pairs of runs; running %llu, within a minute", most,
			 (unsigned long long)limit);
	return most < limit ? most : limit;
}

static struct strobe_error *run_all(struct versus *v)
{
	uint64_t pairs = v->o->runs > 1 ? v->o->runs : PILOT_PAIRS;
	/* Caches are cold for the first pair: it does not count. */
	TRY(run_pair(v, false));
	for (uint64_t i = 0; i < pairs && !interrupted(v); i++) {
		TRY(run_pair(v, true));
		if (i + 1 == PILOT_PAIRS && v->o->runs <= 1) {
			uint64_t needed = pairs_needed(v);
			pairs = needed > pairs ? needed : pairs;
		}
	}
	return NULL;
}

enum column { EVENT, MEAN_A, MEAN_B, UNIT, RATIO, LOW, HIGH, P, DIFFERS, VERDICT };

static void add_columns(struct table *t)
{
	static const struct table_column columns[] = {
		[EVENT] = { "event", NULL, TABLE_TEXT },
		[MEAN_A] = { "mean_a", "mean of A", TABLE_NUMBER, 2 },
		[MEAN_B] = { "mean_b", "mean of B", TABLE_NUMBER, 2 },
		[UNIT] = { "unit", "", TABLE_TEXT },
		[RATIO] = { "ratio", "B/A", TABLE_NUMBER, 4 },
		[LOW] = { "low95", "from", TABLE_NUMBER, 4 },
		[HIGH] = { "high95", "to", TABLE_NUMBER, 4 },
		[P] = { "p", "p", TABLE_NUMBER, 4 },
		[DIFFERS] = { "differs", NULL, TABLE_BOOL, .data_only = true },
		[VERDICT] = { "verdict", "more than noise?", TABLE_TEXT, .text_only = true },
	};
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		table_column(t, columns[i]);
}

static void add_row(struct table *t, const char *event, const char *unit, double scale, const struct comparison *c)
{
	bool differs = c->p_adjusted < CHANCE;
	table_row(t);
	table_set_text(t, EVENT, event);
	table_set_text(t, UNIT, unit);
	table_set_number(t, MEAN_A, c->mean_a * scale);
	table_set_number(t, MEAN_B, c->mean_b * scale);
	if (c->has_ratio) {
		table_set_number(t, RATIO, c->ratio);
		table_set_number(t, LOW, c->low);
		table_set_number(t, HIGH, c->high);
	}
	table_set_number(t, P, c->p_adjusted);
	table_set_bool(t, DIFFERS, differs);
	table_set_text(t, VERDICT, !differs ? "no" : c->has_ratio ? (c->ratio > 1 ? "yes, B has more" : "yes, B has less") :
			       c->mean_b > c->mean_a ? "yes, B has more" : "yes, B has less");
}

static void note_outliers(struct table *t, const char *event, const struct side *side, const double *values, size_t n, double scale,
			  const char *unit)
{
	_cleanup_free_ bool *mark = xcalloc(n + 1, sizeof(*mark));
	_cleanup_strbuf_ struct strbuf b = {};
	size_t odd = n ? stats_outliers(values, n, OUTLIER_FENCES, mark) : 0, named = 0;
	for (size_t i = 0; i < n && named < OUTLIERS_NAMED; i++)
		if (mark[i])
			strbuf_addf(&b, "%srun %zu: %.6g", named++ ? ", " : "", i + 1, values[i] * scale);
	if (odd)
		table_note(t, "outliers, included in the result: %s of %s, %s%s%s%s", event, side->name, strbuf_str(&b),
			   *unit ? " " : "", unit, odd > named ? ", and more" : "");
}

static const char *join(struct strbuf *b, char *const *argv, int argc)
{
	for (int i = 0; i < argc; i++)
		strbuf_addf(b, "%s%s", i ? " " : "", argv[i]);
	return strbuf_str(b);
}

static void note_failures(struct table *t, const struct side *side)
{
	int status = side->failed_status;
	if (!side->failed)
		return;
	if (WIFSIGNALED(status))
		table_note(t, "%u runs of %s failed, the last by signal %d (%s)", side->failed, side->name, WTERMSIG(status),
			   strsignal(WTERMSIG(status)));
	else
		table_note(t, "%u runs of %s failed, the last with status %d", side->failed, side->name, WEXITSTATUS(status));
}

static void fill(struct versus *v, struct table *t)
{
	const struct counter_set *set = &v->sides[0].session.set;
	size_t pairs = v->sides[1].elapsed.len, rows = 0;
	_cleanup_free_ struct comparison *c = xcalloc(set->events.len + 1, sizeof(*c));
	_cleanup_free_ uint32_t *event_of = xcalloc(set->events.len + 1, sizeof(*event_of));
	_cleanup_strbuf_ struct strbuf a = {}, b = {};
	table_fact(t, "A", "%s", join(&a, v->sides[0].argv, v->sides[0].argc));
	table_fact(t, "B", "%s", join(&b, v->sides[1].argv, v->sides[1].argc));
	table_fact_number(t, "runs", (double)pairs, "%zu of each, in turn", pairs);
	add_columns(t);
	for (uint32_t i = 0; i < set->events.len; i++)
		if (is_counted(v, i)) {
			event_of[rows] = i;
			c[rows++] = compare_series(values_of(&v->sides[0], i), values_of(&v->sides[1], i));
		}
	struct compare_series ta = { v->sides[0].elapsed.data, v->sides[0].elapsed.len },
			      tb = { v->sides[1].elapsed.data, v->sides[1].elapsed.len };
	event_of[rows] = UINT32_MAX;
	c[rows++] = compare_series(ta, tb);
	compare_adjust(c, rows);
	for (size_t i = 0; i < rows; i++) {
		const struct counter_event *e = event_of[i] == UINT32_MAX ? NULL : &set->events.data[event_of[i]];
		add_row(t, e ? e->name : "elapsed", e ? e->unit : "msec", e ? e->scale : 1e3, &c[i]);
	}
	table_note(t, "%s; p is corrected for %zu comparisons (Holm); p < %.2f is more than noise.",
		   c[0].by_rank ? "Mann-Whitney rank test; B/A is the median of all ratios, with its 95 % interval" :
				  "Welch's t test; B/A is the ratio of the means, with its 95 % interval",
		   rows, CHANCE);
	for (size_t i = 0; i < rows; i++)
		for (int k = 0; k < 2; k++) {
			const struct counter_event *e = event_of[i] == UINT32_MAX ? NULL : &set->events.data[event_of[i]];
			struct compare_series s = e ? values_of(&v->sides[k], event_of[i]) : k ? tb : ta;
			note_outliers(t, e ? e->name : "elapsed", &v->sides[k], s.values, s.n, e ? e->scale : 1e3,
				      e ? e->unit : "msec");
		}
	for (uint32_t i = 0; i < set->events.len; i++)
		if (!is_counted(v, i))
			table_note(t, "%s: %s", set->events.data[i].name,
				   set->events.data[i].supported ? "not counted" : "not supported on this machine");
	note_failures(t, &v->sides[0]);
	note_failures(t, &v->sides[1]);
}

static struct strobe_error *show(struct versus *v)
{
	struct stat_output output;
	struct table t;
	TRY(stat_output_open(&output, v->o));
	table_init(&t, "strobe-stat-vs", 1);
	fill(v, &t);
	if (v->o->json || v->o->json_document) {
		table_json(&output.out, &t);
	} else if (v->o->separator) {
		table_csv(&output.out, &t, v->o->separator);
	} else {
		out_str(&output.out, "\n Performance counter stats compared\n\n");
		table_text(&output.out, &t, NULL);
		out_ch(&output.out, '\n');
	}
	table_deinit(&t);
	return stat_output_close(&output);
}

static struct strobe_error *prepare(struct versus *v)
{
	struct options_result *rest = &v->ctx->rest;
	struct side *a = &v->sides[0], *b = &v->sides[1];
	TRY(split_words(v->o->versus, &v->words));
	TRY(stat_choose_events(v->ctx, v->o, v->o->sys, &v->o->target, &v->metrics));
	vec_push(&v->words, NULL);
	a->argc = rest->argc;
	a->argv = xcalloc((size_t)rest->argc + 1, sizeof(*a->argv));
	memcpy(a->argv, rest->argv, (size_t)rest->argc * sizeof(*a->argv));
	b->argv = v->words.data;
	b->argc = (int)v->words.len - 1;
	TRY(prepare_side(v, a));
	TRY(prepare_side(v, b));
	TRY(stat_session_open(&a->session));
	b->session.signals = a->session.signals;
	v->random = sys_clock_ns(v->o->sys, CLOCK_MONOTONIC) | 1;
	return NULL;
}

int stat_versus(struct cmd_context *ctx, struct stat_options *o)
{
	struct versus v = { .ctx = ctx, .o = o, .sides = { { .name = "A" }, { .name = "B" } } };
	metric_set_init(&v.metrics);
	struct strobe_error *err = prepare(&v);
	if (!err)
		err = run_all(&v);
	if (!err && v.sides[0].elapsed.len && v.sides[1].elapsed.len)
		err = show(&v);
	int status = cmd_fail(ctx, err);
	if (!status && (v.sides[0].failed || v.sides[1].failed))
		status = CMD_FAILED;
	stat_session_close(&v.sides[0].session);
	v.sides[1].session.signals = CMD_SIGNALS_NONE;
	stat_session_close(&v.sides[1].session);
	free(v.sides[0].argv);
	for (size_t i = 0; i < v.words.len; i++)
		free(v.words.data[i]);
	vec_deinit(&v.words);
	free_side(&v.sides[0]);
	free_side(&v.sides[1]);
	metric_set_deinit(&v.metrics);
	return status;
}
