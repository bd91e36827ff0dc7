#include "session/profile_input.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/filemap.h"
#include "resolve/resolve.h"
#include "session/input.h"
#include "session/symbols.h"

/* Whether all samples have it: what was not recorded is no label. */
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
	return n;
}

/* So that values of clocks are shown as times, whatever comes of the profile. */
static void tell_units(struct profile *p)
{
	for (uint32_t i = 0; i < p->events.len; i++)
		p->events.data[i].unit = strtab_add(&p->strings, profile_event_unit(p, i));
}

/* Profiles say when they were taken by the time of day: none where the recording does not relate its clock to that. */
static void tell_time(struct profile *p, const struct env *env)
{
	uint64_t offset_ns;
	_cleanup_error_ struct strobe_error *err = env_wall_offset(env, &offset_ns);
	p->origin.has_time_of_day = !err;
	p->start_ns = err ? 0 : p->start_ns + offset_ns;
}

static struct strobe_error *aggregate(const struct session_host *host, const struct profile_input *input, struct profile **ret)
{
	const char *keys[5];
	struct record_source *source;
	struct foreign_files *foreign = NULL;
	struct symbols_options symbols = {};
	struct resolve_options options = {
		.label_keys = keys,
		.with_chains = true,
		.by_address = true,
		.with_inlines = true,
		.with_lines = true,
		.program_first = true,
	};
	TRY(input_open(input->path, input->force, &source));
	options.label_keys_nr = choose_labels(source_env(source), keys);
	struct strobe_error *options_err = session_symbols(host, source_env(source), input->force, &symbols, &foreign);
	if (options_err) {
		source_destroy(source);
		return options_err;
	}
	struct resolver *resolver = resolver_create(source, symbols, options);
	struct strobe_error *err = resolve_aggregate(resolver, ret);
	if (err && *ret && (*ret)->rows.len && !error_is(err, ERROR_STOPPED)) {
		session_damage(host, err);
		err = NULL;
	}
	if (!err) {
		tell_units(*ret);
		tell_time(*ret, source_env(source));
		input_remarks(host, source, resolver_stats(resolver));
	}
	resolver_destroy(resolver);
	foreign_files_destroy(foreign);
	source_destroy(source);
	if (err) {
		profile_destroy(*ret);
		*ret = NULL;
	}
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
	TRY(filemap_open(&map, input->path));
	struct strobe_error *err = exchange_unpack(map.data, map.bytes, input->path, &bytes);
	if (bytes.owned)
		filemap_close(&map);
	if (!err)
		err = exchange_read_bytes(&bytes, input->path, input->format, input->value, ret);
	filemap_close(&map);
	if (!err)
		profile_input_remarks(host, input->path, *ret);
	return err;
}
