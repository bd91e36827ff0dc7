#include "session/sample_choice.h"

#include "base/lists.h"

static struct strobe_error *check_recorded(const struct env *env, uint64_t sample_type, const char *what)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (!(env->events.data[i].attr.sample_type & sample_type))
			return error_create(ERROR_USAGE, "the samples of '%s' do not have %s", env->events.data[i].name, what);
	return NULL;
}

struct strobe_error *sample_choice_check(const struct sample_choice *c, const struct env *env)
{
	if (c->cpus)
		TRY(check_recorded(env, PERF_SAMPLE_CPU, "a CPU: omit -C, or record with --sample-cpu"));
	if (c->times)
		TRY(check_recorded(env, PERF_SAMPLE_TIME, "timestamps: omit --time, or record with -T"));
	return NULL;
}

struct strobe_error *sample_choice_parse(const struct sample_choice *c, const struct env *env, struct arena *arena,
					 struct resolve_filter *ret)
{
	struct list_numbers cpus, pids, tids;
	struct list_strings comms;
	struct list_spans spans;
	TRY(list_cpus_parse(arena, c->cpus, &cpus));
	TRY(list_numbers_parse(arena, "process", c->pids, &pids));
	TRY(list_numbers_parse(arena, "thread", c->tids, &tids));
	TRY(list_strings_parse(arena, c->comms, &comms));
	TRY(list_spans_parse(arena, c->times, env->first_sample_ns, env->last_sample_ns, &spans));
	struct time_range *times = arena_new_array(arena, struct time_range, spans.nr + 1);
	for (uint32_t i = 0; i < spans.nr; i++)
		times[i] = (struct time_range){ spans.data[i].from_ns, spans.data[i].to_ns };
	*ret = (struct resolve_filter){
		.cpus = cpus.data, .cpus_nr = cpus.nr, .pids = pids.data, .pids_nr = pids.nr, .tids = tids.data,
		.tids_nr = tids.nr, .comms = comms.data, .comms_nr = comms.nr, .times = times, .times_nr = spans.nr,
	};
	return NULL;
}
