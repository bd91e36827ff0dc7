#include "resolve/frames.h"

#include <stdlib.h>

#include "base/mem.h"

void frame_cache_init(struct frame_cache *c, struct machine *machine, struct symbols *symbols, bool call_sites)
{
	*c = (struct frame_cache){ .machine = machine, .symbols = symbols, .call_sites = call_sites };
}

void frame_cache_deinit(struct frame_cache *c)
{
	free(c->slots);
	vec_deinit(&c->frames);
	vec_deinit(&c->dsos);
	vec_deinit(&c->kernels);
}

uint32_t frame_cache_ask_kernel(struct frame_cache *c, uint32_t space)
{
	while (c->kernels.len <= space)
		vec_push(&c->kernels, 0);
	uint32_t kernel = machine_space_kernel(c->machine, space);
	c->kernels.data[space] = kernel + 1;
	return kernel;
}

static void place(struct frame_slot *slots, uint32_t mask, struct frame_slot s)
{
	uint32_t i = (uint32_t)frame_hash(s.ip, s.context) & mask;
	while (slots[i].context)
		i = (i + 1) & mask;
	slots[i] = s;
}

static void grow(struct frame_cache *c)
{
	uint32_t slots = c->slots ? (c->mask + 1) * 2 : 1024;
	struct frame_slot *fresh = xcalloc(slots, sizeof(*fresh));
	for (uint32_t i = 0; c->slots && i <= c->mask; i++)
		if (c->slots[i].context)
			place(fresh, slots - 1, c->slots[i]);
	free(c->slots);
	c->slots = fresh;
	c->mask = slots - 1;
}

static struct dso *dso_of(struct frame_cache *c, const struct mapped_file *file)
{
	while (c->dsos.len <= file->id)
		vec_push(&c->dsos, NULL);
	if (!c->dsos.data[file->id])
		c->dsos.data[file->id] = symbols_dso(c->symbols, file);
	return c->dsos.data[file->id];
}

static struct resolved_frame resolve_address(struct frame_cache *c, uint32_t space, uint16_t cpumode, uint64_t ip,
					     bool is_caller)
{
	struct resolved_frame f = { .ip = ip, .addr = ip, .cpumode = cpumode };
	/* The call stands before the address it returns to: its last byte is one back. */
	uint64_t back = c->call_sites && is_caller && ip ? 1 : 0;
	f.map = machine_space_map(c->machine, space, cpumode, ip - back);
	if (!f.map)
		return f;
	f.dso = dso_of(c, f.map->file);
	if (!f.dso)
		return f;
	f.addr = dso_address(f.dso, f.map, ip);
	f.symbol = dso_symbol(f.dso, f.addr - back);
	return f;
}

uint32_t frame_cache_add(struct frame_cache *c, uint32_t space, uint16_t cpumode, uint64_t ip, bool is_caller)
{
	if (!c->slots || c->used >= c->mask / 2)
		grow(c);
	uint32_t id = (uint32_t)c->frames.len;
	vec_push(&c->frames, resolve_address(c, space, cpumode, ip, is_caller));
	place(c->slots, c->mask, (struct frame_slot){ ip, frame_context(c, space, cpumode, is_caller), id });
	c->used++;
	return id;
}
