/* The vdso: the kernel maps the same one into every process of its kind, so that ours serves where build-ids agree. */
#include "symbol/symbol_priv.h"

static bool load_vdso(struct dso *d)
{
	size_t bytes;
	const void *image = object_own_vdso(&bytes);
	struct object *o;
	if (!image || d->file->guest)
		return false;
	_cleanup_error_ struct strobe_error *err = object_open_memory(image, bytes, "[vdso]", &o);
	if (err)
		return false;
	if (!elf_matches(d, o, "[vdso]")) {
		object_close(o);
		return false;
	}
	elf_load_table(d, &(struct elf_load){ .object = o });
	d->object = o;
	d->long_name = "[vdso]";
	return d->has_table;
}

const struct symbol_source source_vdso = { .name = "vdso", .kinds = 1u << MAPPED_VDSO, .load = load_vdso };
