#include "counter/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* Unknown IDs of a CPU are taken as 0. */
static int32_t known(int32_t id)
{
	return id < 0 ? 0 : id;
}

static bool list_has(const char *list, uint32_t cpu)
{
	sys_cpus cpus = {};
	_cleanup_error_ struct strobe_error *err = sys_cpus_parse(list, &cpus);
	bool has = !err && sys_cpus_has(&cpus, cpu);
	vec_deinit(&cpus);
	return has;
}

/* The cache of the level (0: the highest) that the CPU uses: identified by its first CPU. */
static void find_cache(const struct sys_topology *topology, unsigned level, uint32_t cpu, struct counts_place *p)
{
	p->cache_level = 0;
	p->cache = (int32_t)cpu;
	for (size_t i = 0; i < topology->caches.len; i++) {
		const struct sys_cache *c = &topology->caches.data[i];
		if (!strcmp(c->type, "Instruction") || (level && c->level != level) || !list_has(c->cpus, cpu))
			continue;
		if (!level && (int32_t)c->level < p->cache_level)
			continue;
		p->cache_level = (int32_t)c->level;
		p->cache = atoi(c->cpus);
	}
}

static struct counts_place place_of_cpu(const struct tally *t, const struct sys_topology *topology, const struct sys_cpu *c)
{
	struct counts_place p = {};
	switch (t->options.by) {
	case COUNTS_BY_CPU:
		p.cpu = (int32_t)c->cpu;
		p.core = known(c->core);
		p.die = known(c->die);
		p.socket = known(c->socket);
		break;
	case COUNTS_BY_CORE:
		p.core = known(c->core);
		p.die = known(c->die);
		p.socket = known(c->socket);
		break;
	case COUNTS_BY_CLUSTER:
		p.cluster = known(c->cluster);
		p.die = known(c->die);
		p.socket = known(c->socket);
		break;
	case COUNTS_BY_CACHE:
		find_cache(topology, t->options.cache_level, c->cpu, &p);
		p.die = known(c->die);
		p.socket = known(c->socket);
		break;
	case COUNTS_BY_DIE:
		p.die = known(c->die);
		p.socket = known(c->socket);
		break;
	case COUNTS_BY_SOCKET:
		p.socket = known(c->socket);
		break;
	case COUNTS_BY_NODE:
		p.node = known(c->node);
		break;
	default:
		break;
	}
	return p;
}

/* The order of rows; 0: the same place. */
static int compare(const struct counts_place *a, const struct counts_place *b)
{
	const int32_t ka[] = { a->node, a->socket, a->die, a->cache_level, a->cache, a->cluster, a->core, a->cpu, a->tid };
	const int32_t kb[] = { b->node, b->socket, b->die, b->cache_level, b->cache, b->cluster, b->core, b->cpu, b->tid };
	for (size_t i = 0; i < sizeof(ka) / sizeof(*ka); i++)
		if (ka[i] != kb[i])
			return ka[i] < kb[i] ? -1 : 1;
	return 0;
}

static int compare_places(const void *pa, const void *pb)
{
	return compare(pa, pb);
}

static uint32_t find_place(const struct tally *t, const struct counts_place *p)
{
	for (uint32_t i = 0; i < t->places.len; i++)
		if (!compare(&t->places.data[i], p))
			return i;
	return TALLY_NO_PLACE;
}

static const struct sys_cpu *find_cpu(const struct sys_topology *topology, int32_t cpu)
{
	for (size_t i = 0; i < topology->cpus.len; i++)
		if ((int32_t)topology->cpus.data[i].cpu == cpu)
			return &topology->cpus.data[i];
	return NULL;
}

/* The place of a CPU, known to the topology or not. */
static struct counts_place place_of(const struct tally *t, const struct sys_topology *topology, int32_t cpu)
{
	const struct sys_cpu *c = find_cpu(topology, cpu);
	const struct sys_cpu unknown = { .cpu = (uint32_t)(cpu < 0 ? 0 : cpu), .core = -1, .cluster = -1, .die = -1, .socket = -1,
					 .node = -1 };
	return place_of_cpu(t, topology, c ? c : &unknown);
}

static void add_cpu_places(struct tally *t, const struct sys_topology *topology)
{
	for (size_t i = 0; i < t->set->slots.len; i++) {
		if (t->set->slots.data[i].cpu < 0)
			continue;
		struct counts_place p = place_of(t, topology, t->set->slots.data[i].cpu);
		if (find_place(t, &p) == TALLY_NO_PLACE)
			vec_push(&t->places, p);
	}
	/* Tool events have no CPU: they are counted in the first place, which must exist. */
	if (!t->places.len)
		vec_push(&t->places, place_of(t, topology, 0));
	qsort(t->places.data, t->places.len, sizeof(*t->places.data), compare_places);
}

/* Counts the CPUs of the target in each place. */
static void count_cpus(struct tally *t, const struct sys_topology *topology)
{
	for (size_t i = 0; i < t->set->map->cpus.len; i++) {
		struct counts_place p = place_of(t, topology, t->set->map->cpus.data[i]);
		uint32_t at = find_place(t, &p);
		if (at != TALLY_NO_PLACE)
			t->places.data[at].cpus++;
	}
}

static void add_thread_places(struct tally *t)
{
	const struct target_map *m = t->set->map;
	for (size_t i = 0; i < m->threads.len; i++) {
		struct counts_place p = { .tid = m->threads.data[i].tid, .comm = m->threads.data[i].comm };
		vec_push(&t->places, p);
	}
}

static struct strobe_error *make_places(struct tally *t)
{
	const struct counter_set *set = t->set;
	t->place_of_slot = xcalloc(set->slots.len + 1, sizeof(*t->place_of_slot));
	if (t->options.by == COUNTS_BY_NOTHING) {
		vec_push(&t->places, (struct counts_place){});
		return NULL;
	}
	if (t->options.by == COUNTS_BY_THREAD) {
		add_thread_places(t);
		for (size_t i = 0; i < set->slots.len; i++)
			t->place_of_slot[i] = set->slots.data[i].thread;
		return NULL;
	}
	struct sys_topology here;
	if (!t->options.topology)
		TRY(sys_topology_read(&here, set->sys));
	const struct sys_topology *topology = t->options.topology ? t->options.topology : &here;
	add_cpu_places(t, topology);
	count_cpus(t, topology);
	for (size_t i = 0; i < set->slots.len; i++) {
		struct counts_place p = place_of(t, topology, set->slots.data[i].cpu);
		uint32_t at = find_place(t, &p);
		t->place_of_slot[i] = set->slots.data[i].cpu < 0 || at == TALLY_NO_PLACE ? 0 : at;
	}
	if (topology == &here)
		sys_topology_deinit(&here);
	return NULL;
}

/* Merges events of several uncore PMUs or kinds of core with the same text into one row. */
static void merge_events(struct tally *t)
{
	const struct counter_set *set = t->set;
	t->event_of_event = xcalloc(set->events.len + 1, sizeof(*t->event_of_event));
	for (uint32_t i = 0; i < set->events.len; i++) {
		const struct event *e = set->events.data[i].event;
		t->event_of_event[i] = i;
		for (uint32_t k = i; !t->options.no_merge && e->merge && k-- > 0;) {
			const struct event *first = set->events.data[k].event;
			bool same = first->merge && !strcmp(set->events.data[k].name, set->events.data[i].name) &&
				    strcmp(first->pmu ? first->pmu : "", e->pmu ? e->pmu : "") != 0;
			if (same)
				t->event_of_event[i] = t->event_of_event[k];
		}
	}
}

struct strobe_error *tally_init(struct tally *t, const struct counter_set *set, struct tally_options options)
{
	*t = (struct tally){ .set = set, .options = options };
	arena_init(&t->arena);
	struct strobe_error *err = make_places(t);
	if (err) {
		tally_deinit(t);
		return err;
	}
	merge_events(t);
	t->cells = xcalloc(set->events.len * t->places.len + 1, sizeof(*t->cells));
	for (uint32_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		for (uint32_t k = 0; k < e->slots_nr; k++)
			tally_cell(t, t->event_of_event[i], t->place_of_slot[e->first_slot + k])->used = true;
	}
	return NULL;
}

void tally_clear(struct tally *t)
{
	size_t n = t->set->events.len * t->places.len;
	for (size_t i = 0; t->cells && i < n; i++) {
		struct tally_cell *c = &t->cells[i];
		c->value = c->enabled = c->running = (struct stats){};
		vec_clear(&c->values);
	}
	t->runs = 0;
}

void tally_deinit(struct tally *t)
{
	for (size_t i = 0; t->cells && i < t->set->events.len * t->places.len; i++)
		vec_deinit(&t->cells[i].values);
	free(t->cells);
	free(t->place_of_slot);
	free(t->event_of_event);
	vec_deinit(&t->places);
	arena_deinit(&t->arena);
	*t = (struct tally){};
}

struct sum {
	double value, enabled, running;
};

static void add_slot(struct sum *sum, const struct counter_slot *slot, enum tally_what what, bool no_scale)
{
	struct count_reading r = slot->now;
	if (what == TALLY_SINCE_BEFORE) {
		r.value -= slot->before.value;
		r.enabled_ns -= slot->before.enabled_ns;
		r.running_ns -= slot->before.running_ns;
	}
	double value = (double)r.value;
	if (!no_scale && r.running_ns && r.running_ns < r.enabled_ns)
		value = (double)(uint64_t)(value * (double)r.enabled_ns / (double)r.running_ns + 0.5);
	sum->value += value;
	sum->enabled += (double)r.enabled_ns;
	sum->running += (double)r.running_ns;
}

/* A percore event on a CPU: with --percore-show-thread the count of its core. */
static void share_cores(const struct tally *t, struct sum *sums, uint32_t event)
{
	const struct event *e = t->set->events.data[event].event;
	if (t->options.by != COUNTS_BY_CPU || !(e->terms.set & EVENT_TERM_PERCORE) || !e->terms.percore)
		return;
	_cleanup_free_ struct sum *own = xmemdup(sums, t->places.len * sizeof(*sums));
	for (size_t i = 0; i < t->places.len; i++) {
		const struct counts_place *p = &t->places.data[i];
		for (size_t k = 0; k < t->places.len; k++) {
			const struct counts_place *q = &t->places.data[k];
			if (k == i || p->core != q->core || p->die != q->die || p->socket != q->socket)
				continue;
			sums[i].value += own[k].value;
			sums[i].enabled += own[k].enabled;
			sums[i].running += own[k].running;
		}
	}
}

void tally_add(struct tally *t, enum tally_what what)
{
	const struct counter_set *set = t->set;
	size_t places = t->places.len;
	_cleanup_free_ struct sum *sums = xcalloc(places + 1, sizeof(*sums));
	t->runs++;
	for (uint32_t first = 0; first < set->events.len; first++) {
		if (t->event_of_event[first] != first)
			continue;
		memset(sums, 0, places * sizeof(*sums));
		for (uint32_t i = first; i < set->events.len; i++) {
			const struct counter_event *e = &set->events.data[i];
			for (uint32_t k = 0; t->event_of_event[i] == first && k < e->slots_nr; k++) {
				uint32_t slot = e->first_slot + k;
				add_slot(&sums[t->place_of_slot[slot]], &set->slots.data[slot], what, t->options.no_scale);
			}
			/* Events to merge are adjacent: from the same list item. */
			if (!set->events.data[first].event->merge)
				break;
		}
		share_cores(t, sums, first);
		for (uint32_t p = 0; p < places; p++) {
			struct tally_cell *c = tally_cell(t, first, p);
			if (!c->used)
				continue;
			stats_add(&c->value, sums[p].value);
			stats_add(&c->enabled, sums[p].enabled);
			stats_add(&c->running, sums[p].running);
			if (t->options.keep_values)
				vec_push(&c->values, sums[p].value);
		}
	}
}
