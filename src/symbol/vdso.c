/* The vdso: the kernel maps the same one into every process of its kind, so that ours serves where build-ids agree. */
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "symbol/symbol_priv.h"

/* The end of what the section table spans: nothing else says how long the image is. */
static size_t image_bytes(const uint8_t *image)
{
#if __SIZEOF_POINTER__ == 8
	Elf64_Ehdr h;
#else
	Elf32_Ehdr h;
#endif
	memcpy(&h, image, sizeof(h));
	return (size_t)(h.e_shoff + (size_t)h.e_shnum * h.e_shentsize);
}

static bool load_vdso(struct dso *d)
{
	const uint8_t *image = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct object *o;
	if (!image || d->file->guest)
		return false;
	_cleanup_error_ struct strobe_error *err = object_open_memory(image, image_bytes(image), "[vdso]", &o);
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
