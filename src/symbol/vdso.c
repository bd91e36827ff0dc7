/* The vdso: the kernel maps the same one into all processes of a kind, so that ours can be used if build IDs are equal. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "symbol/symbol_priv.h"

/* Lives as long as the DSO; of 32-bit programs the system has another. */
static const void *image_of(struct dso *d, size_t *ret_bytes)
{
	const struct symbols_options *o = &d->session->options;
	if (strcmp(d->file->path, "[vdso32]") != 0)
		return object_own_vdso(ret_bytes);
	_cleanup_free_ void *image = o->processes && o->processes->read_compat_vdso ?
					     o->processes->read_compat_vdso(o->processes_ctx, ret_bytes) : NULL;
	return image ? arena_memdup(&d->arena, image, *ret_bytes) : NULL;
}

static bool load_vdso(struct dso *d)
{
	size_t bytes;
	const char *path = d->file->path;
	const void *image = d->file->guest ? NULL : image_of(d, &bytes);
	struct object *o;
	if (!image)
		return false;
	_cleanup_error_ struct strobe_error *err = object_open_memory(image, bytes, path, &o);
	if (err)
		return false;
	if (!elf_matches(d, o, path)) {
		object_close(o);
		return false;
	}
	elf_load_table(d, &(struct elf_load){ .object = o });
	d->object = o;
	d->long_name = path;
	return d->has_table;
}

const struct symbol_source source_vdso = { .name = "vdso", .kinds = 1u << MAPPED_VDSO, .load = load_vdso };
