/* Samples of a recording one by one, in the form of `script`. */
#include "base/lists.h"
#include "session/report/opened.h"
#include "dump/cursor.h"
#include "session/session.h"

/* Maximum size; a longer text is cut with a remark. */
#define TEXT_MAX  (4u << 20)
#define AROUND_NS 10000000ull

/* Fields that are printed in addition to script's default. */
static const char *const more_fields[DETAILS_NR] = {
	[DETAIL_CODE] = "+disasm",
	[DETAIL_SOURCE] = "+srcline",
};

/* ---- which samples ---- */

static const struct time_range *one_span(struct arena *a, uint64_t from_ns, uint64_t to_ns)
{
	struct time_range *range = arena_new(a, struct time_range);
	*range = (struct time_range){ from_ns, to_ns };
	return range;
}

static const uint32_t *one_number(struct arena *a, uint64_t n)
{
	uint32_t *number = arena_new(a, uint32_t);
	*number = (uint32_t)n;
	return number;
}

static const char *const *one_name(struct arena *a, const char *name)
{
	const char **names = arena_new(a, const char *);
	*names = name;
	return names;
}

/* Selects all samples on the CPU of a sample, around its time. */
static struct strobe_error *filter_around(struct arena *a, const struct listed_sample *s, struct resolve_filter *ret)
{
	if (!s->has_time)
		return error_create(ERROR_UNSUPPORTED, "this sample has no timestamp (record -T)");
	ret->times = one_span(a, s->time_ns > AROUND_NS ? s->time_ns - AROUND_NS : 0, s->time_ns + AROUND_NS);
	ret->times_nr = 1;
	if (s->has_cpu) {
		ret->cpus = one_number(a, s->cpu);
		ret->cpus_nr = 1;
	}
	return NULL;
}

/* Applies the report's filters, and the user's selection. */
static struct strobe_error *filter_chosen(struct session *s, const struct report_request *o, const struct listed_choice *which,
					  struct resolve_filter *ret)
{
	struct arena *a = &s->arena;
	const struct sample_choice choice = {
		.pids = o->filter.pids,
		.tids = which->by_tid ? NULL : o->filter.tids,
		.comms = which->comm ? NULL : o->filter.comms,
		.cpus = which->by_cpu ? NULL : o->selection.cpus,
		.times = which->to_ns ? NULL : o->selection.times,
	};
	if (o->filter.parallelism)
		return error_create(ERROR_UNSUPPORTED, "--parallelism does not apply to individual samples");
	TRY(sample_choice_parse(&choice, s->env, a, ret));
	if (which->by_tid) {
		ret->tids = one_number(a, which->tid);
		ret->tids_nr = 1;
	}
	if (which->comm) {
		ret->comms = one_name(a, which->comm);
		ret->comms_nr = 1;
	}
	if (which->by_cpu) {
		ret->cpus = one_number(a, which->cpu);
		ret->cpus_nr = 1;
	}
	if (which->to_ns) {
		ret->times = one_span(a, which->from_ns, which->to_ns);
		ret->times_nr = 1;
	}
	return NULL;
}

static struct strobe_error *choose_places(struct arena *a, const struct report_request *o, const struct listed_choice *which,
					  struct dump_choice *ret)
{
	struct list_strings symbols, dsos;
	TRY(list_strings_parse(a, which->symbol ? NULL : o->filter.symbols, &symbols));
	TRY(list_strings_parse(a, which->dso ? NULL : o->filter.dsos, &dsos));
	*ret = (struct dump_choice){
		.symbols = which->symbol ? one_name(a, which->symbol) : symbols.data,
		.symbols_nr = which->symbol ? 1 : symbols.nr,
		.dsos = which->dso ? one_name(a, which->dso) : dsos.data,
		.dsos_nr = which->dso ? 1 : dsos.nr,
	};
	return NULL;
}

/* ---- their text ---- */

static struct strobe_error *open_cursor(struct session *s, const struct report_request *o, const struct listed_choice *which,
					enum listed_detail detail, struct dump_cursor **ret)
{
	bool is_context = detail == DETAIL_CONTEXT, with_stacks = detail == DETAIL_STACKS;
	struct resolve_filter filter = {};
	struct dump_cursor_options options = { .dump = { .nanoseconds = true, .show_chains = with_stacks } };
	const struct session_request request = {
		.filter = &filter,
		.symbols = o->selection.symbol_files,
		.resolve = { .with_chains = with_stacks, .with_inlines = with_stacks, .with_lines = detail == DETAIL_SOURCE },
	};
	TRY(is_context ? filter_around(&s->arena, which->around, &filter) : filter_chosen(s, o, which, &filter));
	if (!is_context)
		TRY(choose_places(&s->arena, o, which, &options.choice));
	dump_fields_defaults(&options.dump.fields);
	if (more_fields[detail])
		TRY(dump_fields_parse(&options.dump.fields, more_fields[detail]));
	TRY(session_resolve(s, &request));
	return dump_cursor_open(s->resolver, s->env, &options, ret);
}

static struct strobe_error *print_all(struct dump_cursor *c, struct progress *progress, struct out *out, struct listed_samples *ret)
{
	struct dump_cursor_step step;
	for (;;) {
		size_t at;
		(void)out_mem(out, &at);
		if (at > TEXT_MAX)
			return NULL;
		TRY(dump_cursor_next(c, out, &step));
		if (step.kind == DUMP_CURSOR_END)
			return NULL;
		if (step.kind == DUMP_CURSOR_SAMPLE)
			vec_push(&ret->all, ((struct listed_sample){ at, step.time_ns, step.cpu, step.has_time, step.has_cpu }));
		if (!progress_add(progress, step.bytes))
			return error_create(ERROR_STOPPED, "stopped");
	}
}

/* Keeps n of them, evenly spaced (0: all), and their text. */
static void take_text(struct listed_samples *s, const char *text, size_t bytes, uint64_t n)
{
	uint64_t all = s->all.len, kept = 0;
	for (uint64_t i = 0; i < all; i++) {
		struct listed_sample sample = s->all.data[i];
		size_t end = i + 1 < all ? s->all.data[i + 1].at : bytes;
		/* The first one of each n-th part of them. */
		if (n && n < all && i && i * n / all == (i - 1) * n / all)
			continue;
		strbuf_add(&s->text, text + sample.at, end - sample.at);
		sample.at = s->text.len - (end - sample.at);
		s->all.data[kept++] = sample;
	}
	s->all.len = kept;
}

static struct strobe_error *print_session(struct session *s, struct opened *f, const struct listed_choice *which,
					  enum listed_detail detail, struct out *out, struct listed_samples *ret)
{
	struct dump_cursor *c;
	size_t bytes;
	TRY(open_cursor(s, &f->report.request, which, detail, &c));
	struct strobe_error *err = print_all(c, &f->progress, out, ret);
	dump_cursor_close(c);
	if (error_is(err, ERROR_STOPPED))
		return err;
	const char *text = out_mem(out, &bytes);
	take_text(ret, text, bytes, detail == DETAIL_CONTEXT ? 0 : f->report.request.listed_samples);
	if (bytes > TEXT_MAX)
		strbuf_addstr(&ret->text, "\n… truncated: 'script' prints all samples\n");
	if (!err || !ret->all.len)
		return err;
	/* The complete part is shown. */
	strbuf_addf(&ret->text, "\n%s\n", err->message);
	error_destroy(err);
	return NULL;
}

struct strobe_error *opened_list_samples(struct opened *f, const struct listed_choice *which, enum listed_detail detail,
					 struct listed_samples *ret)
{
	struct session s;
	struct out out;
	out_init_mem(&out);
	const struct selection *selection = &f->report.request.selection;
	struct strobe_error *err = session_open(&s, &f->host, selection->input, selection->force || f->spool);
	if (!err)
		err = print_session(&s, f, which, detail, &out, ret);
	session_close(&s);
	error_destroy(out_close(&out)); /* memory does not fail */
	return err;
}
