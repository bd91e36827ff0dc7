#include "resolve/members.h"

bool members_in(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (members_are_read(&env->events.data[i].attr))
			return true;
	return false;
}

void members_read(struct members *m, const struct env *env, const struct sample *s)
{
	struct sample_read_value v;
	vec_clear(&m->now);
	for (uint64_t i = 0; sample_read_get(s, i, &v); i++) {
		const uint64_t *event = u64map_get(&env->event_by_id, v.id);
		if (!event) {
			m->unknown++;
			continue;
		}
		uint64_t *last = u64map_put(&m->last, v.id, NULL);
		struct member_sample member = { .event = (uint32_t)*event, .id = v.id, .period = v.value - *last };
		*last = v.value;
		if (member.period)
			vec_push(&m->now, member);
	}
}

void members_deinit(struct members *m)
{
	u64map_deinit(&m->last);
	vec_deinit(&m->now);
}
