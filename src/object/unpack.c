#include "object/object_priv.h"
#include "packing/packing.h"

/* Kernel modules have some megabytes at the most; what grows beyond this is not a module. */
#define UNPACKED_MAX ((size_t)256 << 20)

struct strobe_error *object_unpack(const void *packed, size_t packed_bytes, const char *name, void **ret,
				   size_t *ret_bytes)
{
	const struct packing *p = packing_by_content(packed, packed_bytes);
	*ret = NULL;
	*ret_bytes = 0;
	return packing_is_plain(p) ? NULL : packing_unpack(p, packed, packed_bytes, UNPACKED_MAX, name, ret, ret_bytes);
}
