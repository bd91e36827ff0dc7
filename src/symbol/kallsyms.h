/*
 * The kernel's own symbols, as /proc/kallsyms lists them, or a copy of it from elsewhere.
 *
 * Reading the live list costs the kernel 20 to 40 ms, so its parsed form is kept on disk for as long as this boot lasts
 * and no module comes or goes: $XDG_CACHE_HOME/strobe or ~/.cache/strobe, mode 0600, checked when it is read, and mapped
 * rather than read. Without a home, or in a directory of somebody else, nothing is kept.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/filemap.h"
#include "symbol/table.h"

#define KALLSYMS_BUILD_ID_MAX 20

struct kallsyms {
	struct table table;
	uint64_t text, stext;  /* addresses of _text and _stext, 0 where missing: where this kernel was loaded */
	bool live;             /* of the running kernel */
	uint8_t build_id[KALLSYMS_BUILD_ID_MAX]; /* of the running kernel, where live */
	uint8_t build_id_len;
	char *problem;         /* why there are no symbols, or NULL */
	char *names;           /* when parsed here */
	struct filemap cache;  /* when mapped */
};

/* From the given file, or of the running kernel (path NULL). Where that fails the table is empty and problem says why. */
void kallsyms_load(struct kallsyms *k, const char *path);
void kallsyms_deinit(struct kallsyms *k);

/*
 * Parses a text of lines "ADDRESS TYPE NAME[\tMODULE]". Lines that are none are left out. Functions and data are kept
 * (types t w d b in either case). Returns false where every address was 0: the kernel hides them.
 */
bool kallsyms_parse(struct kallsyms *k, const char *text, size_t n);

/* What the cache of the running kernel must agree with. */
struct kallsyms_key {
	char boot_id[40];
	uint8_t build_id[KALLSYMS_BUILD_ID_MAX];
	uint32_t build_id_len;
	uint64_t modules; /* a hash of which modules are loaded where */
};

/* Both do nothing where there is no usable directory; load returns whether the table was filled. */
bool kallsyms_cache_load(struct kallsyms *k, const struct kallsyms_key *key);
void kallsyms_cache_save(const struct kallsyms *k, const struct kallsyms_key *key);
