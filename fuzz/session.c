/*
 * Any bytes as a recording that is reported and scripted whole: tasks and maps replayed, stacks walked, samples summed up,
 * and each record as text, as JSON and as it lies in the file. No file that the bytes name is opened.
 */
#include <stdint.h>
#include <stdlib.h>

#include "dump/dumper.h"
#include "dump/event_text.h"
#include "dump/json_lines.h"
#include "dump/raw.h"
#include "nobody.h"
#include "perfdata/reader.h"
#include "view/data/folded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS_MAX 20000 /* compressed records can be of any number */

/* ---- the way of report ---- */

static void sum_up(struct record_source *source, struct resolve_options options)
{
	struct folded_options folded = { .names = { .with_tid = true } };
	struct resolver *r = resolver_of(source, options);
	struct profile *p = NULL;
	struct out out;
	out_init_mem(&out);
	error_destroy(resolve_aggregate(r, &p));
	if (p && p->events.len)
		error_destroy(view_folded(p, &folded, &out));
	error_destroy(out_close(&out));
	profile_destroy(p);
	resolver_destroy(r);
}

static void sum_up_stacks(struct record_source *source)
{
	static const char *const labels[] = { "comm", "pid", "tid", "cpu", "time", "trace" };
	sum_up(source, (struct resolve_options){
		.label_keys = labels, .label_keys_nr = sizeof(labels) / sizeof(*labels), .with_chains = true, .by_address = true,
		.with_inlines = true, .with_lines = true, .keep_time_log = true, .threads = 1,
	});
}

/* As diff does. */
static void sum_up_addresses(struct record_source *source)
{
	static const char *const labels[] = { "comm", "pid" };
	sum_up(source, (struct resolve_options){ .label_keys = labels, .label_keys_nr = 2, .threads = 1 });
}

/* ---- the way of script ---- */

struct script {
	struct resolver *resolver;
	const struct env *env;
	struct dumper *dumper;
	struct out out;
	unsigned records;
};

/* Once events are known: every field that some event has. */
static struct strobe_error *prepare(struct script *s)
{
	struct dump_options d = { .show_chains = true, .max_blocks = 8 };
	dump_fields_defaults(&d.fields);
	for (unsigned k = 0; k < DUMP_KINDS; k++)
		d.fields.of[k] = ~0ull >> (64 - DUMP_FIELDS_NR);
	struct strobe_error *err = dumper_create(s->env, resolver_machine(s->resolver), resolver_symbols(s->resolver), d, &s->dumper);
	return err;
}

static struct strobe_error *count(struct script *s)
{
	return ++s->records > RECORDS_MAX ? error_create(ERROR_STOPPED, "enough") : NULL;
}

static struct strobe_error *on_sample(void *ctx, const struct resolved_sample *sample)
{
	struct script *s = ctx;
	if (!s->dumper)
		TRY(prepare(s));
	raw_sample(&s->out, s->env, "input", sample);
	dumper_sample(s->dumper, &s->out, sample);
	json_lines_sample(s->dumper, &s->out, sample, true);
	return count(s);
}

static struct strobe_error *on_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct script *s = ctx;
	raw_record(&s->out, s->env, "input", r);
	event_text(&s->out, s->env, r);
	if (r.hdr->type >= RECORD_USER_FIRST)
		return count(s);
	if (!s->dumper)
		TRY(prepare(s));
	dumper_record(s->dumper, &s->out, r, time_ns);
	json_lines_record(s->dumper, &s->out, r, time_ns);
	return count(s);
}

static void tell_all(struct record_source *source)
{
	struct script s = {
		.env = source_env(source),
		.resolver = resolver_of(source, (struct resolve_options){ .with_chains = true, .with_lines = true }),
	};
	out_init_mem(&s.out);
	error_destroy(resolve_stream(s.resolver, (struct resolve_callbacks){ .sample = on_sample, .record = on_record, .ctx = &s }));
	dumper_destroy(s.dumper);
	error_destroy(out_close(&s.out));
	resolver_destroy(s.resolver);
}

static void open_and(void (*use)(struct record_source *source), const uint8_t *data, size_t size)
{
	struct record_source *source;
	struct strobe_error *err = reader_open_mem(data, size, &source);
	if (!err) {
		use(source);
		source_destroy(source);
	}
	error_destroy(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	open_and(sum_up_stacks, data, size);
	open_and(sum_up_addresses, data, size);
	open_and(tell_all, data, size);
	return 0;
}
