#include "dump/cursor.h"

#include <stdlib.h>

#include "base/mem.h"

struct dump_cursor {
	struct dump_cursor_options options;
	const struct env *env;
	struct resolver *resolver;
	struct resolve_cursor *records;
	struct dumper *dumper; /* created at the first sample, since a stream's events are records */
	/* During a call. */
	struct out *out;
	struct dump_cursor_step *step;
};

static struct strobe_error *make_dumper(struct dump_cursor *c)
{
	struct dump_options d = c->options.dump;
	d.show_chains &= dumper_has_chains(c->env);
	TRY(dump_fields_check(&d.fields, c->env, d.show_chains));
	return dumper_create(c->env, resolver_machine(c->resolver), resolver_symbols(c->resolver), d, &c->dumper);
}

static struct strobe_error *on_sample(void *ctx, const struct resolved_sample *s)
{
	struct dump_cursor *c = ctx;
	if (!dump_choice_has(&c->options.choice, s))
		return NULL;
	if (!c->dumper)
		TRY(make_dumper(c));
	dumper_sample(c->dumper, c->out, s);
	c->step->kind = DUMP_CURSOR_SAMPLE;
	c->step->time_ns = s->sample.time;
	c->step->cpu = s->sample.cpu;
	c->step->has_time = s->event->attr.sample_type & PERF_SAMPLE_TIME;
	c->step->has_cpu = s->event->attr.sample_type & PERF_SAMPLE_CPU;
	return NULL;
}

static bool knows_stack(void *ctx, const struct resolved_sample *s)
{
	struct dump_cursor *c = ctx;
	return c->dumper && dumper_knows_stack(c->dumper, s);
}

static bool known_callers(void *ctx, const struct resolved_sample *s, uint64_t *ret_words)
{
	struct dump_cursor *c = ctx;
	return c->dumper && dumper_known_callers(c->dumper, s, ret_words);
}

struct strobe_error *dump_cursor_open(struct resolver *r, const struct env *env, const struct dump_cursor_options *options,
				      struct dump_cursor **ret)
{
	struct dump_cursor *c = xcalloc(1, sizeof(*c));
	*c = (struct dump_cursor){ .options = *options, .env = env, .resolver = r };
	bool needs_leaf = !dump_choice_is_empty(&options->choice); /* also of samples with a known stack */
	struct resolve_callbacks callbacks = {
		.sample = on_sample,
		.knows_stack = needs_leaf ? NULL : knows_stack,
		.known_callers = needs_leaf ? NULL : known_callers,
		.ctx = c,
	};
	/* The events of a file are known: missing fields are an error before the first record. */
	struct strobe_error *err = env->events.len ? make_dumper(c) : NULL;
	if (!err)
		err = resolve_cursor_open(r, callbacks, &c->records);
	if (err) {
		dump_cursor_close(c);
		c = NULL;
	}
	*ret = c;
	return err;
}

struct strobe_error *dump_cursor_next(struct dump_cursor *c, struct out *out, struct dump_cursor_step *ret)
{
	bool end = false;
	*ret = (struct dump_cursor_step){ .kind = DUMP_CURSOR_RECORD };
	c->out = out;
	c->step = ret;
	struct strobe_error *err = resolve_cursor_next(c->records, &ret->bytes, &end);
	if (end || err)
		ret->kind = DUMP_CURSOR_END;
	return err;
}

void dump_cursor_close(struct dump_cursor *c)
{
	if (!c)
		return;
	dumper_destroy(c->dumper);
	resolve_cursor_close(c->records);
	free(c);
}
