/* Every record of a recording in the order of time: report -D and annotate -D. */
#include "dump/facts.h"
#include "dump/raw.h"

struct raw_dump {
	struct out *out;
	const struct env *env;
	const char *name;
};

static struct strobe_error *print_sample(void *ctx, const struct resolved_sample *s)
{
	struct raw_dump *raw = ctx;
	raw_sample(raw->out, raw->env, raw->name, s);
	return out_failed(raw->out) ? error_create(ERROR_STOPPED, "output") : NULL;
}

static struct strobe_error *print_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct raw_dump *raw = ctx;
	raw_record(raw->out, raw->env, raw->name, r);
	/* perf report ignores these two records, and prints that after each. */
	if (r.hdr->type == RECORD_THREAD_MAP || r.hdr->type == RECORD_CPU_MAP)
		out_str(raw->out, ": unhandled!\n");
	return out_failed(raw->out) ? error_create(ERROR_STOPPED, "output") : NULL;
}

struct strobe_error *raw_ordered(struct out *out, struct resolver *resolver, const struct env *env, const char *name, bool skip_empty)
{
	struct raw_dump raw = { out, env, name };
	struct strobe_error *err = resolve_stream(resolver, (struct resolve_callbacks){
		.sample = print_sample, .record = print_record, .ctx = &raw });
	facts_stats(out, env, resolver_stats(resolver), skip_empty);
	return err;
}
