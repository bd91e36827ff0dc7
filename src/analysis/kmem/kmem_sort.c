#include "analysis/kmem/kmem_sort.h"

#include <string.h>

static const struct {
	const char *name;
	bool of[KMEM_ALLOCATORS];
} known[KMEM_KEYS] = {
	[KMEM_CALLSITE] = { "callsite", { true, true } },
	[KMEM_BYTES] = { "bytes", { true, true } },
	[KMEM_HIT] = { "hit", { true, true } },
	[KMEM_FRAGMENTATION] = { "frag", { true, false } },
	[KMEM_PTR] = { "ptr", { true, false } },
	[KMEM_PINGPONG] = { "pingpong", { true, false } },
	[KMEM_PAGE] = { "page", { false, true } },
	[KMEM_PAGE_ORDER] = { "order", { false, true } },
	[KMEM_MIGRATETYPE] = { "migtype", { false, true } },
	[KMEM_GFP] = { "gfp", { false, true } },
};

static const struct {
	const char *name, *keys, *defaults;
} allocators[KMEM_ALLOCATORS] = {
	[KMEM_SLAB] = { "slab", "frag, hit, bytes, ptr, callsite, pingpong", "frag,hit,bytes" },
	[KMEM_PAGES] = { "page", "page, order, migtype, gfp, bytes, hit, callsite", "bytes,hit" },
};

struct strobe_error *kmem_keys_parse(enum kmem_allocator allocator, const char *text, struct kmem_keys *ret)
{
	*ret = (struct kmem_keys){};
	for (const char *at = text ? text : allocators[allocator].defaults; *(at += strspn(at, ", "));) {
		size_t n = strcspn(at, ", "), key = 0;
		while (key < KMEM_KEYS && (!known[key].of[allocator] || strncmp(known[key].name, at, n) != 0 || known[key].name[n]))
			key++;
		if (key == KMEM_KEYS)
			return error_create(ERROR_USAGE, "unknown %s sort key '%.*s': expected %s", allocators[allocator].name, (int)n,
					    at, allocators[allocator].keys);
		if (ret->nr == KMEM_KEYS)
			return error_create(ERROR_USAGE, "too many sort keys");
		ret->keys[ret->nr++] = (enum kmem_key)key;
		at += n;
	}
	return NULL;
}

/* The first error, if none of the selected allocators has the keys. */
static struct strobe_error *choose_of_any(const char *const of[KMEM_ALLOCATORS], const char *of_any,
					  const bool is_chosen[KMEM_ALLOCATORS], struct kmem_keys ret[KMEM_ALLOCATORS])
{
	struct strobe_error *err = NULL;
	bool is_known = false;
	for (int a = 0; a < KMEM_ALLOCATORS; a++) {
		struct kmem_keys found;
		struct strobe_error *e = kmem_keys_parse(a, of_any, &found);
		if (!e && is_chosen[a] && !of[a])
			ret[a] = found;
		is_known |= !e && is_chosen[a];
		if (err || !is_chosen[a])
			error_destroy(e);
		else
			err = e;
	}
	if (!is_known)
		return err;
	error_destroy(err);
	return NULL;
}

struct strobe_error *kmem_keys_choose(const char *const of[KMEM_ALLOCATORS], const char *of_any,
				      const bool is_chosen[KMEM_ALLOCATORS], struct kmem_keys ret[KMEM_ALLOCATORS])
{
	for (int a = 0; a < KMEM_ALLOCATORS; a++)
		TRY(kmem_keys_parse(a, of[a], &ret[a]));
	return choose_of_any(of, of_any, is_chosen, ret);
}
