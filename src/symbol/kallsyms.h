/*
 * The kernel's own symbols, as /proc/kallsyms lists them, or a copy of it from elsewhere.
 *
 * Reading the live list costs the kernel 20 to 40 ms, so its parsed form is cached on disk until the next boot or
 * change of modules (base/user_cache.h), checked, and mapped. A thread writes the cache, which kallsyms_deinit waits
 * for. Read-only, and so thread-safe, once loaded.
 */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/filemap.h"

#define KALLSYMS_BUILD_ID_MAX 20
#define KALLSYMS_NONE	      UINT32_MAX

/* The key of the cache of the running kernel. */
struct kallsyms_key {
	char boot_id[40];
	uint8_t build_id[KALLSYMS_BUILD_ID_MAX];
	uint32_t build_id_len;
	uint64_t modules; /* a hash of modules and their addresses */
};

/*
 * The list has no sizes: a symbol ends where the next begins. So each takes nine bytes: start - base, name, type.
 * Type 0 is a gap.
 */
struct kallsyms_list {
	uint64_t base;
	const uint32_t *starts; /* ascending, all different */
	const uint32_t *name_offsets;
	const char *types;
	size_t count;
	const char *names;      /* each name ends inside, in a NUL; names may share their tails */
	size_t names_bytes;
	uint64_t text, stext;   /* addresses of _text and _stext, 0: missing */
};

struct kallsyms {
	struct kallsyms_list list;
	bool live;                               /* of the running kernel */
	uint8_t build_id[KALLSYMS_BUILD_ID_MAX]; /* of the running kernel, where live */
	uint8_t build_id_len;
	char *problem;                           /* why there are no symbols, or NULL */
	void *memory[4];                         /* memory of list, when parsed here */
	struct filemap cache;                    /* or when mapped */
	struct kallsyms_key key;
	bool saving;
	pthread_t saver;
};

/* Loads the given file, or the running kernel's (path NULL). On failure the list is empty, and problem is the reason.
 */
void kallsyms_load(struct kallsyms *k, const char *path);
void kallsyms_deinit(struct kallsyms *k);

/* The index of the symbol over the address, or KALLSYMS_NONE. */
uint32_t kallsyms_find(const struct kallsyms_list *l, uint64_t addr);
/* Its name; "" if a mapped list is damaged. The last symbol ends with the page after its start. */
const char *kallsyms_symbol(const struct kallsyms_list *l, uint32_t i, uint64_t *ret_start, uint64_t *ret_end,
			    char *ret_type);

/*
 * Parses text of lines "ADDRESS TYPE NAME[\tMODULE]", passed in pieces of any size. Invalid lines are skipped.
 * Functions and data are kept (types t w d b in either case). Finishing fills k->list and frees the parser; it returns
 * false if every address was 0, since the kernel hides them.
 */
struct kallsyms_parser;
struct kallsyms_parser *kallsyms_parser_create(struct kallsyms *k);
void kallsyms_parser_feed(struct kallsyms_parser *p, const char *text, size_t n);
bool kallsyms_parser_finish(struct kallsyms_parser *p);

/* Both do nothing without a usable directory; load returns whether the list was filled. */
bool kallsyms_cache_load(struct kallsyms *k);
void kallsyms_cache_save(const struct kallsyms *k);
