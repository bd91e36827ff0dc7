#include "resolve/members.h"

bool members_in(const struct env *env)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (members_are_read(&env->events.data[i].attr))
			return true;
	return false;
}

/* Inherited events with one ID count separately in each thread. */
static bool is_per_thread(const struct perf_event_attr *a)
{
	return a->inherit && a->sample_type & PERF_SAMPLE_TID;
}

static uint64_t key_of(uint64_t number, uint32_t tid)
{
	return number << 32 | tid;
}

/* The entry for the count of this ID at the record before. */
static uint64_t *last_of(struct members *m, const struct perf_event_attr *a, uint64_t id, const struct sample *s)
{
	uint64_t *number = u64map_put(&m->numbers, id, NULL);
	if (!*number)
		*number = m->numbers.used;
	return u64map_put(&m->last, key_of(*number, is_per_thread(a) ? s->tid : 0), NULL);
}

void members_end_thread(struct members *m, uint32_t tid)
{
	for (uint64_t number = 1; number <= m->numbers.used; number++)
		u64map_remove(&m->last, key_of(number, tid));
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
		uint64_t *last = last_of(m, &env->events.data[*event].attr, v.id, s);
		struct member_sample member = { .event = (uint32_t)*event, .id = v.id, .period = v.value - *last };
		*last = v.value;
		if (member.period)
			vec_push(&m->now, member);
	}
}

void members_deinit(struct members *m)
{
	u64map_deinit(&m->numbers);
	u64map_deinit(&m->last);
	vec_deinit(&m->now);
}
