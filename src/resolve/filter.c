#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "resolve/resolver_priv.h"

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static struct id_list id_list(const uint32_t *ids, uint32_t nr)
{
	struct id_list l = { .nr = nr };
	if (!nr)
		return l;
	l.ids = xmemdup(ids, nr * sizeof(*ids));
	qsort(l.ids, nr, sizeof(*l.ids), compare_u32);
	return l;
}

static bool id_list_has(const struct id_list *l, uint32_t id)
{
	return !l->nr || bsearch(&id, l->ids, l->nr, sizeof(id), compare_u32);
}

void filter_set_comms(struct filter *f, const char *const *comms, uint32_t nr, struct machine *m)
{
	free(f->comms.ids);
	f->comms = (struct id_list){ .nr = nr };
	if (!nr)
		return;
	f->comms.ids = xcalloc(nr, sizeof(*f->comms.ids));
	for (uint32_t i = 0; i < nr; i++)
		f->comms.ids[i] = strtab_add(machine_strings(m), comms[i]);
	qsort(f->comms.ids, nr, sizeof(*f->comms.ids), compare_u32);
}

void filter_init(struct filter *f, const struct resolve_filter *from, struct machine *m)
{
	*f = (struct filter){
		.cpus = id_list(from->cpus, from->cpus_nr),
		.pids = id_list(from->pids, from->pids_nr),
		.tids = id_list(from->tids, from->tids_nr),
		.times_nr = from->times_nr,
	};
	filter_set_comms(f, from->comms, from->comms_nr, m);
	if (from->times_nr)
		f->times = xmemdup(from->times, from->times_nr * sizeof(*f->times));
	f->of_samples = from->cpus_nr || from->times_nr;
}

void filter_deinit(struct filter *f)
{
	free(f->cpus.ids);
	free(f->pids.ids);
	free(f->tids.ids);
	free(f->comms.ids);
	free(f->times);
}

bool filter_thread(const struct filter *f, uint32_t pid, uint32_t tid, str_id comm)
{
	return id_list_has(&f->pids, pid) && id_list_has(&f->tids, tid) && id_list_has(&f->comms, comm);
}

bool time_ranges_have(const struct time_range *ranges, uint32_t nr, uint64_t time_ns)
{
	for (uint32_t i = 0; i < nr; i++)
		if (time_ns >= ranges[i].from_ns && time_ns <= ranges[i].to_ns)
			return true;
	return !nr;
}

bool filter_sample(const struct filter *f, uint32_t cpu, uint64_t time_ns)
{
	return id_list_has(&f->cpus, cpu) && time_ranges_have(f->times, f->times_nr, time_ns);
}
