#include <string.h>

#include "base/user_cache.h"
#include "symbol/kallsyms.h"

/*
 * The file: this header, then starts, name offsets, types and names as the list has them in memory. Native byte order
 * and layout: it never leaves the machine. If anything differs, the list is read again and the file replaced.
 */
struct cache_header {
	char magic[8];
	uint32_t version, header_bytes;
	struct kallsyms_key key;
	uint64_t base, text, stext;
	uint64_t count, names_bytes;
};

#define CACHE_MAGIC   "strobeKS"
#define CACHE_VERSION 2
#define CACHE_NAME    "kallsyms"

/* Sizes are checked against the file by subtraction: none of the sums can overflow. */
static bool lay_list(struct kallsyms *k, const struct cache_header *h)
{
	uint64_t left = k->cache.bytes - sizeof(*h);
	const uint8_t *at = k->cache.data + sizeof(*h);
	struct kallsyms_list *l = &k->list;
	if (!h->count || h->count > left / 9 || h->names_bytes != left - h->count * 9 || !h->names_bytes)
		return false;
	if (k->cache.data[k->cache.bytes - 1])
		return false;
	*l = (struct kallsyms_list){
		.base = h->base,
		.text = h->text,
		.stext = h->stext,
		.count = (size_t)h->count,
		.names_bytes = (size_t)h->names_bytes,
		.starts = (const uint32_t *)at,
		.name_offsets = (const uint32_t *)(at + h->count * 4),
		.types = (const char *)(at + h->count * 8),
		.names = (const char *)(at + h->count * 9),
	};
	return true;
}

bool kallsyms_cache_load(struct kallsyms *k)
{
	if (!*k->key.boot_id || !user_cache_map(CACHE_NAME, &k->cache))
		return false;
	const struct cache_header *h = (const struct cache_header *)k->cache.data;
	if (k->cache.bytes > sizeof(*h) && !memcmp(h->magic, CACHE_MAGIC, 8) && h->version == CACHE_VERSION &&
	    h->header_bytes == sizeof(*h) && !memcmp(&h->key, &k->key, sizeof(h->key)) && lay_list(k, h))
		return true;
	filemap_close(&k->cache);
	return false;
}

void kallsyms_cache_save(const struct kallsyms *k)
{
	const struct kallsyms_list *l = &k->list;
	if (!*k->key.boot_id || !l->count)
		return;
	struct cache_header h = {
		.magic = CACHE_MAGIC,
		.version = CACHE_VERSION,
		.header_bytes = sizeof(h),
		.key = k->key,
		.base = l->base,
		.text = l->text,
		.stext = l->stext,
		.count = l->count,
		.names_bytes = l->names_bytes,
	};
	struct iovec v[] = {
		{ &h, sizeof(h) },
		{ (void *)l->starts, l->count * sizeof(*l->starts) },
		{ (void *)l->name_offsets, l->count * sizeof(*l->name_offsets) },
		{ (void *)l->types, l->count },
		{ (void *)l->names, l->names_bytes },
	};
	user_cache_save(CACHE_NAME, v, sizeof(v) / sizeof(*v));
}
