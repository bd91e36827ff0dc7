#include "session/profile_input.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/filemap.h"
#include "record/wait.h"
#include "session/input.h"
#include "session/session.h"
#include "sys/perf_abi.h"

/* Whether all samples have it: only recorded fields become labels. */
static bool is_recorded(const struct env *env, uint64_t bit)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (!(env->events.data[i].attr.sample_type & bit))
			return false;
	return true;
}

static size_t choose_labels(const struct env *env, const char *ret[static 5])
{
	size_t n = 0;
	ret[n++] = "comm";
	ret[n++] = "pid";
	ret[n++] = "tid";
	if (is_recorded(env, PERF_SAMPLE_CPU))
		ret[n++] = "cpu";
	if (is_recorded(env, PERF_SAMPLE_CGROUP))
		ret[n++] = "cgroup";
	if (env_has_waits(env)) {
		ret[n++] = "state";
		ret[n++] = "reason";
		ret[n++] = "waker";
	}
	return n;
}

/* Values of clocks have a unit, so that all formats show them as times. */
static void set_units(struct profile *p)
{
	for (uint32_t i = 0; i < p->events.len; i++)
		p->events.data[i].unit = strtab_add(&p->strings, profile_event_unit(p, i));
}

/* Profiles have the time of day of their start: left out if the recording does not relate its clock to it. */
static void set_time(struct profile *p, const struct env *env)
{
	uint64_t offset_ns;
	_cleanup_error_ struct strobe_error *err = env_wall_offset(env, &offset_ns);
	p->origin.has_time_of_day = !err;
	p->start_ns = err ? 0 : p->start_ns + offset_ns;
}

/* The event that side-band records came with is the last one: it would be another program's default value. */
static void drop_dummy(struct profile *p, const struct env *env)
{
	while (p->events.len > 1 && p->events.len <= env->events.len) {
		const struct profile_event *last = &p->events.data[p->events.len - 1];
		if (last->samples || last->value || last->lost || !perf_attr_is_dummy(&env->events.data[p->events.len - 1].attr))
			return;
		p->events.len--;
	}
}

void profile_input_complete(struct profile *p, const struct env *env)
{
	drop_dummy(p, env);
	set_units(p);
	set_time(p, env);
}

static struct strobe_error *open_and_aggregate(struct session *s, const struct session_host *host, const struct profile_input *input,
						struct strobe_error **ret_damage)
{
	const char *keys[8];
	struct session_request request = {
		.resolve = {
			.label_keys = keys,
			.with_chains = true,
			.by_address = true,
			.with_inlines = true,
			.with_lines = true,
			.program_first = true,
		},
	};
	*ret_damage = NULL;
	TRY(session_open(s, host, input->path, input->force));
	request.resolve.label_keys_nr = choose_labels(s->env, keys);
	TRY(session_resolve(s, &request));
	TRY(session_aggregate(s, ret_damage));
	/* Without any row, return the damage as an error. */
	return s->profile->rows.len ? NULL : take_ptr(*ret_damage);
}

static struct strobe_error *aggregate(const struct session_host *host, const struct profile_input *input, struct profile **ret)
{
	struct session s;
	struct strobe_error *damage, *err = open_and_aggregate(&s, host, input, &damage);
	if (damage)
		session_damage(host, damage);
	if (!err) {
		profile_input_complete(s.profile, s.env);
		input_remarks(host, s.reader, resolver_stats(s.resolver));
		*ret = take_ptr(s.profile);
	}
	session_close(&s);
	return err;
}

void profile_input_remarks(const struct session_host *host, const char *name, const struct profile *p)
{
	if (p->origin.skipped)
		session_say(host, "%s: skipped %" PRIu64 " line%s that do%s not end in a blank and a number", name, p->origin.skipped,
			p->origin.skipped == 1 ? "" : "s", p->origin.skipped == 1 ? "es" : "");
}

struct strobe_error *profile_input_read(const struct session_host *host, const struct profile_input *input, struct profile **ret)
{
	struct filemap map;
	struct exchange_bytes bytes;
	*ret = NULL;
	if (!input->format && !input_is_foreign(input->path))
		return aggregate(host, input, ret);
	bool is_stdin = !strcmp(input->path, "-");
	const char *name = is_stdin ? "standard input" : input->path;
	TRY(is_stdin ? filemap_open_fd(&map, STDIN_FILENO, name) : filemap_open(&map, input->path));
	struct strobe_error *err = exchange_unpack(map.data, map.bytes, name, &bytes);
	if (bytes.owned)
		filemap_close(&map);
	if (!err)
		err = exchange_read_bytes(&bytes, name, input->format, input->value, ret);
	filemap_close(&map);
	if (!err)
		profile_input_remarks(host, name, *ret);
	return err;
}
