#include "alloc/modules.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "alloc/cfi.h"
#include "alloc/region.h"

static struct alloc_module *modules(uint32_t *ret_nr)
{
	uint32_t nr = __atomic_load_n(&region->modules.nr, __ATOMIC_ACQUIRE);
	*ret_nr = nr < region->modules.most ? nr : region->modules.most;
	return region_table(&region->modules);
}

static bool lies_there(const struct alloc_module *m, const struct cfi_object *o)
{
	return m->start == o->start && m->end == o->end && m->bias == o->bias;
}

/* From the notes in memory. */
static void take_build_id(struct alloc_module *m, const uint8_t *note, size_t bytes)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) n;
		memcpy(&n, note, sizeof(n));
		size_t name = sizeof(n), description = name + ((n.n_namesz + 3u) & ~3u), whole = description + ((n.n_descsz + 3u) & ~3u);
		if (whole > bytes || whole < description)
			return;
		if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(note + name, "GNU", 4) && n.n_descsz <= sizeof(m->build_id)) {
			memcpy(m->build_id, note + description, n.n_descsz);
			m->build_id_bytes = (uint8_t)n.n_descsz;
			return;
		}
		note += whole;
		bytes -= whole;
	}
}

static void take_text(struct alloc_module *m, const ElfW(Phdr) *ph, uintptr_t vaddr)
{
	if (vaddr < ph->p_vaddr || vaddr - ph->p_vaddr >= ph->p_memsz)
		return;
	uint64_t before = ph->p_vaddr & 4095;
	m->text_start = ph->p_vaddr - before;
	m->text_bytes = ph->p_memsz + before;
	m->text_offset = ph->p_offset - before;
}

static void read_segments(struct alloc_module *m, const struct cfi_object *o, uintptr_t pc)
{
	const ElfW(Ehdr) *eh = (const ElfW(Ehdr) *)o->start;
	if (memcmp(eh->e_ident, ELFMAG, SELFMAG) || eh->e_phoff > 4096 || eh->e_phoff + eh->e_phnum * sizeof(ElfW(Phdr)) > 4096)
		return;
	const ElfW(Phdr) *ph = (const ElfW(Phdr) *)(o->start + eh->e_phoff);
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD && ph[i].p_flags & PF_X)
			take_text(m, &ph[i], pc - o->bias);
		if (ph[i].p_type == PT_NOTE && o->bias + ph[i].p_vaddr >= o->start && o->bias + ph[i].p_vaddr + ph[i].p_memsz <= o->end)
			take_build_id(m, (const uint8_t *)(o->bias + ph[i].p_vaddr), ph[i].p_memsz);
	}
}

void modules_add(uintptr_t pc, const struct cfi_object *o)
{
	uint32_t nr;
	struct alloc_module *list = modules(&nr);
	for (uint32_t i = 0; i < nr; i++)
		if (pc >= list[i].start && pc < list[i].end && !list[i].unloaded && lies_there(&list[i], o))
			return;
	uint32_t n = region_claim(&region->modules, 1);
	if (n == UINT32_MAX)
		return;
	struct alloc_module *m = &list[n];
	const char *name = o->name && *o->name ? o->name : region->program;
	m->start = o->start;
	m->bias = o->bias;
	size_t length = strnlen(name, sizeof(m->path) - 1);
	memcpy(m->path, name, length);
	m->path[length] = 0;
	m->text_start = o->start - o->bias;
	m->text_bytes = o->end - o->start;
	read_segments(m, o, pc);
	__atomic_store_n(&m->end, o->end, __ATOMIC_RELEASE);
}

bool modules_changed(void)
{
	uint32_t nr;
	bool changed = false;
	struct alloc_module *list = modules(&nr);
	for (uint32_t i = 0; i < nr; i++) {
		struct cfi_object o;
		if (list[i].end && !list[i].unloaded && (!cfi_find_object(list[i].start, &o) || !lies_there(&list[i], &o)))
			list[i].unloaded = 1, changed = true;
	}
	return changed;
}
