#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "object/object.h"

const void *object_own_vdso(size_t *ret_bytes)
{
	const void *image = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
#if __SIZEOF_POINTER__ == 8
	Elf64_Ehdr h;
#else
	Elf32_Ehdr h;
#endif
	*ret_bytes = 0;
	if (!image)
		return NULL;
	memcpy(&h, image, sizeof(h));
	/* The end of the section table: there is no other information about the size of the image. */
	*ret_bytes = (size_t)(h.e_shoff + (size_t)h.e_shnum * h.e_shentsize);
	return image;
}
