/*
 * Any bytes as the sections of debug information: variables, types, locations, and the fetch arguments made of them.
 *
 * The input is split into sections (fuzz/sections.h); code is at 0x1000.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "probe/variables.h"
#include "sections.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {
	".debug_info", ".debug_abbrev", ".debug_str", ".debug_ranges", ".debug_rnglists", ".debug_addr", ".debug_str_offsets",
	".debug_loc", ".debug_loclists", ".eh_frame",
};
#define NAMES_NR (sizeof(names) / sizeof(*names))

static void fetch(struct probe_variables *v, const struct probe_site *site, const char *value, const char *type, struct arena *arena)
{
	const struct probe_argument a = { .value = value, .type = type };
	probe_fetches fetches = {};
	error_destroy(probe_variables_fetch(v, site, &a, arena, &fetches));
	for (size_t i = 0; i < fetches.len; i++)
		if (!*fetches.data[i].text || strlen(fetches.data[i].text) > 4096)
			abort();
	vec_deinit(&fetches);
}

/* What is listed, one by one, and what it may lead to. */
static void fetch_listed(struct probe_variables *v, const struct probe_site *site, const probe_variable_list *l, struct arena *arena)
{
	for (size_t i = 0; i < l->len && i < 16; i++) {
		const char *name = l->data[i].name;
		fetch(v, site, name, NULL, arena);
		fetch(v, site, name, "string", arena);
		fetch(v, site, arena_printf(arena, "%s->next->a", name), NULL, arena);
		fetch(v, site, arena_printf(arena, "%s[1]", name), "x", arena);
		fetch(v, site, arena_printf(arena, "%s.in.b", name), "u", arena);
	}
}

static void query(struct probe_variables *v)
{
	for (uint64_t address = 0x1000; address < 0x1200; address += 29) {
		struct arena arena;
		struct probe_site site = { .address = address };
		probe_variable_list all = {};
		probe_values parameters = {};
		const struct type *returned;
		arena_init(&arena);
		error_destroy(probe_variables_list(v, &site, (struct probe_variable_options){ true, true }, &arena, &all));
		fetch_listed(v, &site, &all, &arena);
		fetch(v, &site, "$vars", NULL, &arena);
		error_destroy(probe_variables_parameters(v, &site, &arena, &parameters, &returned));
		site.is_return = true;
		fetch(v, &site, "$retval", NULL, &arena);
		vec_deinit(&all);
		vec_deinit(&parameters);
		arena_deinit(&arena);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t code[0x200];
	struct elf_builder b = { .is_64bit = true, .type = ET_DYN, .machine = EM_X86_64 };
	uint32_t text = elf_add_section(&b, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code));
	elf_load_section(&b, text, PF_R | PF_X);
	add_sections(&b, names, NAMES_NR, 0x2000, data, size);
	size_t bytes;
	uint8_t *file = elf_finish(&b, &bytes);
	struct object *o = NULL;
	struct probe_variables *v = NULL;
	struct strobe_error *err = object_open_memory(file, bytes, "input", &o);
	if (!err)
		err = probe_variables_of_program(o, "input", &(struct probe_debug_options){}, &v);
	if (v)
		query(v);
	probe_variables_close(v);
	object_close(o);
	error_destroy(err);
	free(file);
	return 0;
}
