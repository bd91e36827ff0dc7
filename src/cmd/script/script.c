#include "cmd/script/script.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/lists.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/text.h"
#include "dump/choice.h"
#include "dump/counts.h"
#include "dump/dumper.h"
#include "dump/event_text.h"
#include "dump/header_text.h"
#include "dump/json_lines.h"
#include "dump/raw.h"
#include "session/input.h"
#include "session/session.h"

/* The samples of one event, in a file of their own (--per-event-dump). */
struct event_file {
	struct out out;
	char *path;
	struct new_file file;
	uint64_t samples;
};

struct script {
	struct cmd_context *ctx;
	const struct script_options *o;
	struct session session;
	const struct env *env;   /* the session's */
	struct dumper *dumper;   /* made at the first record: a stream's events come as records */
	struct out *out;
	uint64_t previous_ns, misordered; /* --debug-mode */
	struct event_file *files; /* one an event, or NULL */
	struct dump_choice choice;
	struct list_strings stop_at;
	struct event_switches switches;
	struct dump_counts counts;
	bool wants_guests;       /* machine_pid and vcpu, which ID_INDEX tells of */
	uint64_t show;           /* bit n: records of type n are printed */
};

/* ---- before the first record ---- */

static struct strobe_error *open_event_files(struct script *s)
{
	s->files = arena_new_array(&s->session.arena, struct event_file, s->env->events.len);
	for (size_t i = 0; i < s->env->events.len; i++)
		s->files[i].file = NEW_FILE_NONE;
	for (size_t i = 0; i < s->env->events.len; i++) {
		struct event_file *f = &s->files[i];
		/* An event's name may hold anything: it names a file here, and stays in its directory. */
		char *name = arena_strdup(&s->session.arena, s->env->events.data[i].name);
		for (char *p = name; *p; p++)
			*p = *p == '/' ? '_' : *p;
		f->path = arena_printf(&s->session.arena, "%s.%s.dump", input_path(s->o->input), name);
		TRY(new_file_create(f->path, &f->file));
		out_init_fd(&f->out, f->file.fd);
	}
	return NULL;
}

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
		if (d.fields.asked[k] & DUMP_FIELD(TOD) && !dumper_has_wall_clock(s->env))
			return error_create(ERROR_NOT_FOUND, "the recording does not relate its clock to the time of day: field 'tod' "
							     "needs a recording made with -k CLOCK");
	s->switches.keep = o->show_on_off;
	TRY(event_switches_find(s->env, o->switch_on, "--switch-on", false, &s->switches.on));
	TRY(event_switches_find(s->env, o->switch_off, "--switch-off", false, &s->switches.off));
	event_switches_start(&s->switches);
	if (o->per_event)
		TRY(open_event_files(s));
	TRY(dumper_create(s->env, resolver_machine(s->session.resolver), resolver_symbols(s->session.resolver), d, &s->dumper));
	if (o->json)
		json_lines_head(s->out, s->env);
	return NULL;
}

/* ---- samples ---- */

static struct strobe_error *on_sample(void *ctx, const struct resolved_sample *sample)
{
	struct script *s = ctx;
	if (!s->dumper)
		TRY(prepare(s));
	struct out *out = s->out;
	s->misordered += sample->sample.time < s->previous_ns;
	s->previous_ns = sample->sample.time;
	if (s->o->raw)
		raw_sample(out, s->env, input_path(s->o->input), sample);
	if (event_switches_leave_out(&s->switches, sample->sample.event))
		return NULL;
	if (!dump_choice_has(&s->choice, sample))
		return NULL;
	if (s->files) {
		struct event_file *f = &s->files[sample->sample.event];
		out = &f->out;
		f->samples++;
	}
	if (s->o->json)
		json_lines_sample(s->dumper, out, sample, !s->o->fields_nr);
	else
		dumper_sample(s->dumper, out, sample);
	return out_failed(out) ? error_create(ERROR_STOPPED, "output") : NULL;
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

static uint64_t wanted_records(const struct script_options *o)
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
	uint64_t wanted = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (*(const bool *)((const char *)o + rows[i].option))
			wanted |= rows[i].types;
	return wanted;
}

static struct strobe_error *on_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct script *s = ctx;
	uint32_t type = r.hdr->type;
	if (s->o->raw)
		raw_record(s->out, s->env, input_path(s->o->input), r);
	TRY(dump_counts_record(&s->counts, s->out, s->env, r, s->o->json));
	if (type == RECORD_ID_INDEX && s->wants_guests) {
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

static struct strobe_error *parse_lists(struct script *s)
{
	struct arena *arena = &s->session.arena;
	struct list_strings dsos, symbols;
	TRY(list_strings_parse(arena, s->o->dsos, &dsos));
	TRY(list_strings_parse(arena, s->o->symbols, &symbols));
	s->choice = (struct dump_choice){
		.symbols = symbols.data,
		.symbols_nr = symbols.nr,
		.addr_range = s->o->addr_range,
		.dsos = dsos.data,
		.dsos_nr = dsos.nr,
	};
	return list_strings_parse(arena, s->o->stop_at, &s->stop_at);
}

static bool any_field(const struct script_options *o, uint64_t wanted)
{
	struct dump_fields f = { 0 };
	uint64_t any = 0;
	for (unsigned i = 0; i < o->fields_nr; i++)
		error_destroy(dump_fields_parse(&f, o->fields[i])); /* told when they are used */
	for (unsigned k = 0; k < DUMP_KINDS; k++)
		any |= f.asked[k];
	return any & wanted;
}

static struct strobe_error *make_resolver(struct script *s)
{
	const struct script_options *o = s->o;
	const struct session_request request = {
		.choice = { .cpus = o->cpus, .pids = o->pids, .tids = o->tids, .comms = o->comms, .times = o->times },
		.symbols = o->symbol_files,
		.resolve = {
			.with_chains = !o->hide_chains,
			.with_inlines = o->inlined && !o->hide_chains,
			.with_lines = any_field(o, DUMP_FIELD(SRCLINE) | DUMP_FIELD(SRCCODE)),
			.stitch_calls = o->stitch_calls,
			.max_stack = o->max_stack > UINT32_MAX ? UINT32_MAX : (uint32_t)o->max_stack,
		},
	};
	if (o->stitch_calls && !resolve_has_calls(s->env))
		cmd_say(s->ctx, "--stitch-lbr: the recording has no call stacks to stitch (record --call-graph lbr)");
	TRY(parse_lists(s));
	return session_resolve(&s->session, &request);
}

static struct strobe_error *close_event_files(struct script *s)
{
	struct strobe_error *first = NULL;
	for (size_t i = 0; s->files && i < s->env->events.len; i++) {
		struct event_file *f = &s->files[i];
		if (f->file.fd < 0)
			continue;
		out_flush(&f->out);
		double mb = (double)f->out.flushed_bytes / 1024.0 / 1024.0;
		struct strobe_error *err = out_close_file(&f->out, f->path);
		if (!err)
			err = new_file_keep(&f->file, 0600);
		new_file_deinit(&f->file);
		if (!err) {
			out_f(s->out, "[ %s script: Wrote %.3f MB ", s->ctx->program, mb);
			out_text_str(s->out, f->path);
			out_f(s->out, " (%" PRIu64 " samples) ]\n", f->samples);
		}
		if (first)
			error_destroy(err);
		else
			first = err;
	}
	return first;
}

static struct strobe_error *print_all(struct script *s)
{
	const struct script_options *o = s->o;
	s->env = s->session.env;
	if (o->header || o->header_only)
		header_text_print(s->out, s->env, o->full_header);
	if (o->header_only)
		return NULL;
	if (o->raw_unsorted)
		return raw_all(s->out, s->session.source, input_path(o->input));
	TRY(make_resolver(s));
	if (!s->env->is_pipe)
		TRY(prepare(s));
	s->show = wanted_records(o);
	s->wants_guests = any_field(o, DUMP_FIELD(MACHINE_PID) | DUMP_FIELD(VCPU));
	bool wants_records = s->show || o->show_round || o->raw || s->wants_guests || s->env->has_stat || s->env->is_pipe;
	bool wants_place = o->json || o->raw || !dump_choice_is_empty(&s->choice); /* of samples whose stack is known, too */
	struct resolve_callbacks callbacks = {
		.sample = on_sample,
		.record = wants_records ? on_record : NULL,
		.knows_stack = wants_place ? NULL : knows_stack,
		.known_callers = wants_place ? NULL : known_callers,
		.ctx = s,
	};
	struct strobe_error *err = resolve_stream(s->session.resolver, callbacks);
	struct strobe_error *files = close_event_files(s);
	if (!err)
		return files;
	error_destroy(files);
	return err;
}

int script_run(struct cmd_context *ctx, const struct script_options *o)
{
	struct script s = { .ctx = ctx, .o = o };
	struct out out;
	struct strobe_error *err = session_open(&s.session, cmd_host(ctx), o->input, o->force);
	if (err)
		return cmd_fail(ctx, err);
	cmd_open_output(ctx, &out);
	s.out = &out;
	err = print_all(&s);
	int status = cmd_close_output(ctx, &out);
	if (err) {
		int failed = cmd_fail(ctx, err);
		status = status ? status : failed;
	}
	if (status != CMD_BROKEN_PIPE)
		session_remarks(&s.session, o->verbose);
	if (o->debug && status != CMD_BROKEN_PIPE)
		cmd_say(ctx, "%" PRIu64 " samples out of the order of time", s.misordered);
	dump_counts_close(&s.counts);
	dumper_destroy(s.dumper);
	session_close(&s.session);
	return status;
}
