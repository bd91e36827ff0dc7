#include "cmd/sample_choice.h"

#include "cli/lists.h"

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
