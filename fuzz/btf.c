/* Any bytes as the kernel's BTF, and a part of them as a module's: each function, its types and their text, members and all. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "values/btf.h"
#include "values/call_convention.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct type *t, unsigned depth)
{
	struct strbuf text = {};
	size_t n, sum = 0;
	if (!t || depth > 3)
		return;
	if (type_text(t, &text) && !text.len)
		abort();
	strbuf_deinit(&text);
	sum += type_bytes(t);
	const struct type_member *members = type_members(t, &n);
	for (size_t i = 0; i < n && i < 64; i++) {
		struct type_member found;
		if (members[i].name && !type_find_member(t, members[i].name, &found))
			abort();
		look_at(members[i].type, depth + 1);
	}
	const struct type_enumerator *all = type_enumerators(t, &n);
	for (size_t i = 0; i < n; i++)
		sum += strlen(all[i].name);
	if (sum == 1)
		look_at(type_strip(t), depth + 1);
	look_at(type_target(t), depth + 1);
}

static void query(struct btf_types *b)
{
	static const char *const names[] = { "f", "g", "tcp_sendmsg" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct btf_function f;
		struct arena arena;
		if (!btf_find_function(b, names[i], &f))
			continue;
		arena_init(&arena);
		const struct type **types = arena_new_array(&arena, const struct type *, f.parameters_nr + 1);
		struct locations *at = arena_new_array(&arena, struct locations, f.parameters_nr + 1);
		for (size_t k = 0; k < f.parameters_nr; k++)
			types[k] = f.parameters[k].type;
		call_convention_locate(&arch_x86_64, types, f.parameters_nr, &arena, at);
		call_convention_locate(&arch_aarch64, types, f.parameters_nr, &arena, at);
		for (size_t k = 0; k < f.parameters_nr; k++)
			look_at(types[k], 0);
		look_at(f.returned, 0);
		arena_deinit(&arena);
	}
	look_at(btf_find_type(b, TYPE_STRUCT, "s"), 0);
	look_at(btf_find_type(b, TYPE_ENUM, "e"), 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf_types *b;
	size_t half = size / 2;
	struct strobe_error *err = btf_types_open_memory(data, size, NULL, 0, &b);
	if (!err)
		query(b);
	btf_types_close(b);
	error_destroy(err);
	err = btf_types_open_memory(data, half, data + half, size - half, &b);
	if (!err)
		query(b);
	btf_types_close(b);
	error_destroy(err);
	return 0;
}
