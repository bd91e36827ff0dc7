#include "dump/conversion/conversion.h"

#include "session/input.h"

struct strobe_error *conversion_open(struct conversion *c, const struct session_host *host, const struct conversion_options *options)
{
	*c = (struct conversion){ .options = options };
	return session_open(&c->session, host, options->input, options->force);
}

void conversion_close(struct conversion *c)
{
	samples_ctf_deinit(&c->ctf);
	session_close(&c->session);
	error_destroy(c->damage);
	c->damage = NULL;
}

/* The head is written before the first sample or record: a stream's events and features are records before that. */
static struct strobe_error *begin(struct conversion *c)
{
	const struct env *env = c->session.env;
	bool wall_clock = c->options->wall_clock;
	if (c->has_begun)
		return NULL;
	TRY(c->directory ? samples_ctf_begin(&c->ctf, env, wall_clock, c->directory, c->replace) :
			   samples_json_begin(&c->json, env, wall_clock, c->out));
	c->has_begun = true;
	return NULL;
}

static struct strobe_error *json_sample(void *ctx, const struct resolved_sample *s)
{
	struct conversion *c = ctx;
	TRY(begin(c));
	samples_json_add(&c->json, s);
	return out_failed(c->out) ? error_create(ERROR_STOPPED, "output") : NULL;
}

static struct strobe_error *ctf_sample(void *ctx, const struct resolved_sample *s)
{
	struct conversion *c = ctx;
	TRY(begin(c));
	samples_ctf_add(&c->ctf, s);
	return ctf_failed(c->ctf.trace) ? error_create(ERROR_STOPPED, "output") : NULL;
}

static struct strobe_error *ctf_record(void *ctx, struct record r, uint64_t time_ns)
{
	struct conversion *c = ctx;
	const struct resolve_filter *filter = &c->session.filter;
	if (r.hdr->type >= RECORD_USER_FIRST || !time_ranges_have(filter->times, filter->times_nr, time_ns))
		return NULL;
	TRY(begin(c));
	samples_ctf_count_lost(&c->ctf, r);
	if (c->all_records)
		samples_ctf_add_record(&c->ctf, r, time_ns);
	return NULL;
}

/* CTF only has addresses, which need no look-up. */
static bool needs_no_names(void *ctx, const struct resolved_sample *s)
{
	(void)ctx, (void)s;
	return true;
}

static struct strobe_error *read_all(struct conversion *c, struct resolve_callbacks callbacks)
{
	const struct session_request request = {
		.choice.times = c->options->times,
		.resolve = { .with_chains = true, .max_stack = UINT32_MAX },
	};
	TRY(session_resolve(&c->session, &request));
	TRY(sample_choice_check(&request.choice, c->session.env));
	struct strobe_error *err = resolve_stream(c->session.resolver, callbacks);
	if (err && c->has_begun) {
		c->damage = err;
		err = NULL;
	}
	if (!err)
		err = begin(c);
	input_remarks(c->session.host, c->session.reader, resolver_stats(c->session.resolver));
	return err;
}

struct strobe_error *conversion_to_json(struct conversion *c, struct out *out)
{
	c->out = out;
	TRY(read_all(c, (struct resolve_callbacks){ .sample = json_sample, .ctx = c }));
	samples_json_end(&c->json);
	c->samples = c->json.samples;
	return NULL;
}

struct strobe_error *conversion_to_ctf(struct conversion *c, const char *directory, bool replace, bool all_records)
{
	c->directory = directory;
	c->replace = replace;
	c->all_records = all_records;
	TRY(read_all(c, (struct resolve_callbacks){
		.sample = ctf_sample, .record = ctf_record, .knows_stack = needs_no_names, .ctx = c }));
	TRY(samples_ctf_end(&c->ctf));
	c->samples = c->ctf.samples;
	c->records = c->ctf.records;
	return NULL;
}
