#include "dump/script.h"

#include <stddef.h>

#include "base/lists.h"
#include "dump/choice.h"
#include "dump/counts.h"
#include "dump/dumper.h"
#include "dump/event_files.h"
#include "dump/event_text.h"
#include "dump/header_text.h"
#include "dump/json_lines.h"
#include "dump/raw.h"
#include "session/input.h"

struct script {
	struct session *session;
	const struct env *env;   /* the session's */
	const struct script_options *o;
	const char *name;        /* of the recording */
	struct out *out;
	struct dumper *dumper;   /* made at the first record: a stream's events come as records */
	uint64_t previous_ns, misordered;
	struct event_files files; /* with o->per_event */
	struct dlfilter *filter;  /* NULL: none */
	struct dump_choice choice;
	struct list_strings stop_at;
	struct event_switches switches;
	struct dump_counts counts;
	bool needs_guests;       /* machine_pid and vcpu, which ID_INDEX has */
	uint64_t show;           /* bit n: records of type n are printed */
};

/* All that needs the events; a stream has them once its first record of another kind comes. */
static struct strobe_error *prepare(struct script *s)
{
	const struct script_options *o = s->o;
	struct dump_options d = {
		.nanoseconds = o->nanoseconds,
		.relative_time = o->relative_time,
		.delta_time = o->delta_time,
		.latency_columns = o->latency_columns,
		.show_chains = !o->hide_chains && dumper_has_chains(s->env),
		.kernel_path = o->kernel_path,
		.full_source_path = o->full_source_path,
		.stop_at = s->stop_at.data,
		.stop_at_nr = s->stop_at.nr,
		.max_blocks = o->max_blocks,
	};
	dump_fields_defaults(&d.fields);
	for (unsigned i = 0; i < o->fields_nr; i++)
		TRY(dump_fields_parse(&d.fields, o->fields[i]));
	TRY(dump_fields_check(&d.fields, s->env, d.show_chains));
	for (unsigned k = 0; k < DUMP_KINDS; k++)
		if (d.fields.requested[k] & DUMP_FIELD(TOD) && !dumper_has_wall_clock(s->env))
			return error_create(ERROR_NOT_FOUND, "the recording does not relate its clock to the time of day: field 'tod' "
							     "needs a recording made with -k CLOCK");
	s->switches.keep = o->show_on_off;
	TRY(event_switches_find(s->env, o->switch_on, "--switch-on", false, &s->switches.on));
	TRY(event_switches_find(s->env, o->switch_off, "--switch-off", false, &s->switches.off));
	event_switches_start(&s->switches);
	if (o->per_event)
		TRY(event_files_open(&s->files, s->env, s->name));
	TRY(dumper_create(s->env, resolver_machine(s->session->resolver), resolver_symbols(s->session->resolver), d, &s->dumper));
	if (o->json)
		json_lines_head(s->out, s->env);
	return NULL;
}

/* ---- samples ---- */

/* A stream may bring further events after its first samples. */
static struct strobe_error *event_out(struct script *s, uint32_t event, struct out **ret)
{
	*ret = event_files_sample(&s->files, event);
	if (*ret)
		return NULL;
	TRY(event_files_open(&s->files, s->env, s->name));
	*ret = event_files_sample(&s->files, event);
	return NULL;
}

static struct strobe_error *on_sample(void *ctx, const struct resolved_sample *sample)
{
	struct script *s = ctx;
	if (!s->dumper)
		TRY(prepare(s));
	struct out *out = s->out;
	s->misordered += sample->sample.time < s->previous_ns;
	s->previous_ns = sample->sample.time;
	if (s->o->raw)
		raw_sample(out, s->env, s->name, sample);
	if (event_switches_leave_out(&s->switches, sample->sample.event))
		return NULL;
	if (!dump_choice_has(&s->choice, sample))
		return NULL;
	bool is_kept = true;
	if (s->filter)
		TRY(dlfilter_keeps(s->filter, sample, &is_kept));
	if (!is_kept)
		return NULL;
	if (s->o->per_event)
		TRY(event_out(s, sample->sample.event, &out));
	if (s->o->json)
		json_lines_sample(s->dumper, out, sample, !s->o->fields_nr);
	else
		dumper_sample(s->dumper, out, sample);
	return out_failed(out) ? error_create(ERROR_STOPPED, "output") : NULL;
}

static struct strobe_error *early(void *ctx, const struct resolved_sample *sample, bool *ret_keep)
{
	struct script *s = ctx;
	return dlfilter_early(s->filter, sample, ret_keep);
}

static bool knows_stack(void *ctx, const struct resolved_sample *sample)
{
	struct script *s = ctx;
	return s->dumper && dumper_knows_stack(s->dumper, sample);
}

static bool known_callers(void *ctx, const struct resolved_sample *sample, uint64_t *ret_words)
{
	struct script *s = ctx;
	return s->dumper && dumper_known_callers(s->dumper, sample, ret_words);
}

/* ---- other records ---- */

static uint64_t shown_records(const struct script_options *o)
{
	static const struct {
		size_t option;
		uint64_t types;
	} rows[] = {
#define TYPE(t) ((uint64_t)1 << PERF_RECORD_##t)
		{ offsetof(struct script_options, show_task), TYPE(COMM) | TYPE(FORK) | TYPE(EXIT) },
		{ offsetof(struct script_options, show_mmap), TYPE(MMAP) | TYPE(MMAP2) },
		{ offsetof(struct script_options, show_switch), TYPE(SWITCH) | TYPE(SWITCH_CPU_WIDE) },
		{ offsetof(struct script_options, show_namespaces), TYPE(NAMESPACES) },
		{ offsetof(struct script_options, show_lost), TYPE(LOST) },
		{ offsetof(struct script_options, show_bpf), TYPE(KSYMBOL) | TYPE(BPF_EVENT) },
		{ offsetof(struct script_options, show_cgroup), TYPE(CGROUP) },
		{ offsetof(struct script_options, show_text_poke), TYPE(TEXT_POKE) },
#undef TYPE
	};
	uint64_t shown = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (*(const bool *)((const char *)o + rows[i].option))
			shown |= rows[i].types;
	return shown;
}

static struct strobe_error *on_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct script *s = ctx;
	uint32_t type = r.hdr->type;
	if (s->o->raw)
		raw_record(s->out, s->env, s->name, r);
	TRY(dump_counts_record(&s->counts, s->out, s->env, r, s->o->json));
	if (type == RECORD_ID_INDEX && s->needs_guests) {
		if (!s->dumper)
			TRY(prepare(s));
		dumper_note_ids(s->dumper, r);
	}
	bool is_round = type == RECORD_FINISHED_ROUND && s->o->show_round;
	if (is_round && !s->o->json)
		event_text(s->out, s->env, r);
	if ((type >= 64 || !(s->show >> type & 1)) && !(is_round && s->o->json))
		return NULL;
	if (!s->dumper)
		TRY(prepare(s));
	if (s->o->json)
		json_lines_record(s->dumper, s->out, r, time_ns);
	else
		dumper_record(s->dumper, s->out, r, time_ns);
	return out_failed(s->out) ? error_create(ERROR_STOPPED, "output") : NULL;
}

/* ---- the run ---- */

static bool any_field(const struct script_options *o, uint64_t fields)
{
	struct dump_fields f = { 0 };
	uint64_t any = 0;
	for (unsigned i = 0; i < o->fields_nr; i++)
		error_destroy(dump_fields_parse(&f, o->fields[i])); /* reported when they are used */
	for (unsigned k = 0; k < DUMP_KINDS; k++)
		any |= f.requested[k];
	return any & fields;
}

struct strobe_error *script_resolve(struct session *session, const struct script_options *o, bool with_lines)
{
	const struct session_request request = {
		.choice = { .cpus = o->cpus, .pids = o->pids, .tids = o->tids, .comms = o->comms, .times = o->times },
		.symbols = o->symbol_files,
		.resolve = {
			.with_chains = !o->hide_chains,
			.with_inlines = o->inlined && !o->hide_chains,
			.with_lines = with_lines,
			.stitch_calls = o->stitch_calls,
			.max_stack = o->max_stack > UINT32_MAX ? UINT32_MAX : (uint32_t)o->max_stack,
		},
	};
	if (o->stitch_calls && !resolve_has_calls(session->env))
		session_say(session->host, "--stitch-lbr: the recording has no call stacks to stitch (record --call-graph lbr)");
	return session_resolve(session, &request);
}

struct strobe_error *script_open_filter(struct session *session, const struct script_options *o, struct out *out, struct dlfilter **ret)
{
	struct dlfilter_options filter = o->filter;
	filter.kernel_path = o->kernel_path;
	*ret = NULL;
	if (!filter.file)
		return NULL;
	return dlfilter_open(&filter, session->env, resolver_machine(session->resolver), resolver_symbols(session->resolver), out, ret);
}

static struct strobe_error *make_resolver(struct script *s)
{
	const struct script_options *o = s->o;
	struct arena *arena = &s->session->arena;
	TRY(dump_choice_parse(arena, o->symbols, o->dsos, o->addr_range, &s->choice));
	TRY(list_strings_parse(arena, o->stop_at, &s->stop_at));
	return script_resolve(s->session, o, any_field(o, DUMP_FIELD(SRCLINE) | DUMP_FIELD(SRCCODE)));
}

static struct strobe_error *print_stream(struct script *s)
{
	const struct script_options *o = s->o;
	if (!s->env->is_pipe)
		TRY(prepare(s));
	s->show = shown_records(o);
	s->needs_guests = any_field(o, DUMP_FIELD(MACHINE_PID) | DUMP_FIELD(VCPU));
	bool needs_records = s->show || o->show_round || o->raw || s->needs_guests || s->env->has_stat || s->env->is_pipe;
	bool needs_place = o->json || s->filter || o->raw || !dump_choice_is_empty(&s->choice); /* of samples whose stack is known, too */
	struct resolve_callbacks callbacks = {
		.sample = on_sample,
		.record = needs_records ? on_record : NULL,
		.knows_stack = needs_place ? NULL : knows_stack,
		.known_callers = needs_place ? NULL : known_callers,
		.early = dlfilter_is_early(s->filter) ? early : NULL,
		.ctx = s,
	};
	struct strobe_error *err = resolve_stream(s->session->resolver, callbacks);
	struct strobe_error *files = event_files_finish(&s->files, s->o->program, s->out);
	if (!err)
		return files;
	error_destroy(files);
	return err;
}

static struct strobe_error *print_all(struct script *s)
{
	const struct script_options *o = s->o;
	if (o->header || o->header_only)
		header_text_print(s->out, s->env, o->full_header);
	if (o->header_only)
		return NULL;
	if (o->raw_unsorted)
		return raw_all(s->out, s->session->source, s->name);
	TRY(make_resolver(s));
	TRY(script_open_filter(s->session, o, s->out, &s->filter));
	struct strobe_error *err = print_stream(s), *end = dlfilter_close(s->filter);
	if (!err)
		return end;
	error_destroy(end);
	return err;
}

struct strobe_error *script_print(struct session *session, const struct script_options *o, struct out *out, uint64_t *ret_misordered)
{
	struct script s = { .session = session, .env = session->env, .o = o, .name = input_path(o->input), .out = out };
	struct strobe_error *err = print_all(&s);
	*ret_misordered = s.misordered;
	event_files_deinit(&s.files);
	dump_counts_close(&s.counts);
	dumper_destroy(s.dumper);
	return err;
}
