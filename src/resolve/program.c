/*
 * The main program of a recording: the one whose processes have the most samples. Other profile formats list it first.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "resolve/fill_priv.h"

struct count {
	const struct map *map; /* a mapping of the program; NULL: none */
	uint64_t samples;
};

struct counts {
	VEC(struct count) by_file; /* by mapped_file.id */
	struct u64map of_space;    /* space + 1 → file id + 1; 0: it has no program */
};

/* The address space of a row's innermost user frame, or UINT32_MAX. */
static uint32_t space_of_row(const struct rawtab *tab, const struct raw_row *row)
{
	for (uint32_t i = 0; i < row->path_nr; i++) {
		const struct frame_where *where = &tab->frames.data[tab->paths.data[row->path + i]].where;
		if (where->cpumode == PERF_RECORD_MISC_USER)
			return where->space;
	}
	return UINT32_MAX;
}

static void add(struct fill *f, struct counts *c, uint32_t space, uint64_t samples)
{
	bool is_new;
	uint64_t *file = u64map_put(&c->of_space, (uint64_t)space + 1, &is_new);
	if (is_new) {
		const struct map *map = machine_space_program(f->r->machine, space);
		while (map && c->by_file.len <= map->file->id)
			vec_push(&c->by_file, (struct count){});
		if (map)
			c->by_file.data[map->file->id].map = map;
		*file = map ? (uint64_t)map->file->id + 1 : 0;
	}
	if (*file)
		c->by_file.data[*file - 1].samples += samples;
}

static void count_worker(struct fill *f, struct counts *c, const struct rawtab *tab)
{
	uint64_t *samples = xcalloc((size_t)tab->rows_nr + 1, sizeof(*samples));
	for (uint32_t i = 0; i < tab->rows_nr; i++)
		samples[i] = rawtab_row(tab, i)->samples;
	for (size_t i = 0; i < tab->subs.len; i++)
		samples[tab->subs.data[i].row] += tab->subs.data[i].samples;
	for (uint32_t i = 0; i < tab->rows_nr; i++) {
		uint32_t space = space_of_row(tab, rawtab_row(tab, i));
		if (space != UINT32_MAX)
			add(f, c, space, samples[i]);
	}
	free(samples);
}

void fill_program(struct fill *f)
{
	struct counts c = {};
	const struct count *most = NULL;
	for (unsigned i = 0; i < f->n; i++)
		count_worker(f, &c, &f->of[i].w->tab);
	for (size_t i = 0; i < c.by_file.len; i++)
		if (c.by_file.data[i].map && (!most || c.by_file.data[i].samples > most->samples))
			most = &c.by_file.data[i];
	if (most)
		fill_mapping(f, most->map);
	vec_deinit(&c.by_file);
	u64map_deinit(&c.of_space);
}
