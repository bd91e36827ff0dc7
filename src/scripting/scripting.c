#include "scripting/scripting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "decode/tracepoint.h"
#include "dump/choice.h"
#include "scripting/child.h"
#include "scripting/event_values.h"
#include "scripting/exec_path.h"
#include "scripting/language.h"

#define BATCH_BYTES (64 << 10)
#define REPLY_BYTES_MAX (1 << 20) /* limit for the names of handlers */

struct scripting {
	struct session *session;
	const struct env *env;
	const struct script_options *o;
	const char *script;
	struct script_child child;
	struct script_handlers handlers;
	const struct script_language *language;
	struct value_stream *stream;     /* NULL: the script was not started */
	struct event_stream to;
	struct tracepoints *tracepoints; /* NULL until a sample needs them */
	VEC(struct event_values) events; /* by index in env->events */
	struct arena arena;
	struct dump_choice choice;
	struct event_switches switches;
	struct dlfilter *filter;         /* NULL: none */
	bool is_prepared;
};

/* ---- the script ---- */

static struct strobe_error *start(struct scripting *s, const struct scripting_options *o)
{
	size_t n = 0;
	TRY(script_language_find(o->script, &s->language, &s->script));
	const struct script_language *language = s->language;
	s->stream = language->format->create();
	if (access(s->script, R_OK))
		return error_errno(errno, "cannot read the script %s", s->script);
	while (o->arguments && o->arguments[n])
		n++;
	char **argv = xcalloc(n + 2, sizeof(*argv));
	argv[0] = (char *)s->script;
	if (n)
		memcpy(argv + 1, o->arguments, n * sizeof(*argv));
	struct script_program program = {
		.interpreter = language->interpreter,
		.needs = language->needs,
		.source = language->runtime,
		.source_bytes = language->runtime_bytes,
		.argv = argv,
	};
	script_export_exec_path();
	struct strobe_error *err = script_child_start(&program, &s->child);
	free(argv);
	return err;
}

/* Waits until the script has been loaded and its trace_begin() has returned. False if it ended before. */
static bool read_handlers(struct scripting *s)
{
	char text[4096];
	size_t held = 0, total = 0, n;
	while (!s->handlers.complete && total < REPLY_BYTES_MAX &&
	       (n = script_child_read(&s->child, text + held, sizeof(text) - held))) {
		held += n;
		total += n;
		size_t used = script_handlers_take(&s->handlers, text, held);
		held -= used;
		memmove(text, text + used, held);
	}
	return s->handlers.complete;
}

/* ---- events ---- */

static struct strobe_error *flush(struct scripting *s)
{
	size_t n;
	const char *batch = value_batch(s->stream, &n);
	bool is_read = !n || script_child_write(&s->child, batch, n);
	value_next(s->stream);
	if (!is_read || script_child_stopped(&s->child))
		return error_create(ERROR_STOPPED, "the script reads no more events");
	return NULL;
}

static struct strobe_error *prepare(struct scripting *s)
{
	const struct script_options *o = s->o;
	s->is_prepared = true;
	s->switches.keep = o->show_on_off;
	TRY(event_switches_find(s->env, o->switch_on, "--switch-on", false, &s->switches.on));
	TRY(event_switches_find(s->env, o->switch_off, "--switch-off", false, &s->switches.off));
	event_switches_start(&s->switches);
	s->tracepoints = tracepoints_read_whole(s->env);
	struct resolver *r = s->session->resolver;
	sample_values_init(&s->to.values, s->stream, s->env, resolver_machine(r), resolver_symbols(r));
	s->to.values.kernel_path = o->kernel_path;
	s->to.values.has_symbol_offset = s->language->events->has_symbol_offset;
	s->to.tracepoints = s->tracepoints;
	return NULL;
}

static struct event_values *values_of(struct scripting *s, uint32_t event)
{
	while (s->events.len <= event)
		vec_push(&s->events, ((struct event_values){}));
	struct event_values *e = &s->events.data[event];
	if (!e->is_ready)
		*e = event_values_find(s->language->events, &s->env->events.data[event], s->tracepoints, &s->handlers, &s->arena);
	return e;
}

static bool needs_no_frames(void *ctx, const struct resolved_sample *sample)
{
	struct scripting *s = ctx;
	return s->is_prepared && !s->language->events->needs_frames(values_of(s, sample->sample.event), sample);
}

static struct strobe_error *on_sample(void *ctx, const struct resolved_sample *sample)
{
	struct scripting *s = ctx;
	if (!s->is_prepared)
		TRY(prepare(s));
	struct event_values *e = values_of(s, sample->sample.event);
	if (event_switches_leave_out(&s->switches, sample->sample.event) || !dump_choice_has(&s->choice, sample))
		return NULL;
	bool is_kept = true;
	if (s->filter)
		TRY(dlfilter_keeps(s->filter, sample, &is_kept));
	if (!is_kept)
		return NULL;
	event_values_put_names(e, &s->to, &s->handlers);
	if (event_values_has_handler(e))
		s->language->events->put(e, &s->to, sample);
	return value_bytes_held(s->stream) >= BATCH_BYTES ? flush(s) : NULL;
}

static struct strobe_error *early(void *ctx, const struct resolved_sample *sample, bool *ret_keep)
{
	struct scripting *s = ctx;
	return dlfilter_early(s->filter, sample, ret_keep);
}

/* Shows what a stream has delivered between rounds without waiting for more. */
static struct strobe_error *on_record(void *ctx, struct record r, uint64_t time_ns)
{
	(void)time_ns;
	return r.hdr->type == RECORD_FINISHED_ROUND ? flush(ctx) : NULL;
}

static struct strobe_error *feed(struct scripting *s)
{
	struct resolve_callbacks callbacks = {
		.sample = on_sample,
		.early = dlfilter_is_early(s->filter) ? early : NULL,
		.record = s->env->is_pipe ? on_record : NULL,
		.knows_stack = dump_choice_is_empty(&s->choice) ? needs_no_frames : NULL,
		.ctx = s,
	};
	struct strobe_error *err = resolve_stream(s->session->resolver, callbacks);
	value_none(s->stream); /* the end marker, even after an error: without it the script assumes that we were killed */
	error_destroy(flush(s)); /* the script may have ended already */
	if (!error_is(err, ERROR_STOPPED))
		return err;
	error_destroy(err);
	return NULL;
}

struct strobe_error *scripting_run(struct session *session, const struct scripting_options *o, int *ret_status)
{
	struct scripting s = { .session = session, .env = session->env, .o = o->selection };
	*ret_status = 0;
	arena_init(&s.arena);
	script_handlers_init(&s.handlers);
	struct strobe_error *err = dump_choice_parse(&session->arena, o->selection->symbols, o->selection->dsos,
						     o->selection->addr_range, &s.choice);
	if (!err)
		err = script_resolve(session, o->selection, false);
	if (!err)
		err = script_open_filter(session, o->selection, NULL, &s.filter);
	if (!err)
		err = start(&s, o);
	if (!err) {
		if (read_handlers(&s))
			err = feed(&s);
		*ret_status = script_child_end(&s.child);
	}
	struct strobe_error *end = dlfilter_close(s.filter);
	if (!err)
		err = end;
	else
		error_destroy(end);
	if (s.is_prepared)
		sample_values_deinit(&s.to.values);
	tracepoints_destroy(s.tracepoints);
	script_handlers_deinit(&s.handlers);
	if (s.stream)
		s.stream->format->destroy(s.stream);
	vec_deinit(&s.events);
	arena_deinit(&s.arena);
	return err;
}
