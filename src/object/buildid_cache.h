/*
 * The build-id cache: files kept by build-id, so that what was recorded can be named after it was replaced, or elsewhere.
 *
 * The layout is the one of perf, and either tool reads and writes the other's entries:
 *
 *	DIR/PATH/HEX/elf                the file ("vdso", "kallsyms" for those; "debug": its debug information; "probes")
 *	DIR/PATH/HEX/symbols            symbols and unwind tables of a large file, alone (perf has neither this nor these:)
 *	DIR/PATH/HEX/dwp                split debug information in one package, and
 *	DIR/PATH/HEX/dwo-0123…          of one unit, by the 16 digits of its id
 *	DIR/.build-id/xx/yyyy…          a link to ../../PATH/HEX
 *
 * PATH is where the file was, or its name in brackets. Paths that try to leave DIR ("..") are refused: they may come from a
 * recording. What is added is a hard link where the file system allows, else a copy, and never half of one. No state; two
 * processes may add the same entry. Source: perf-buildid-cache(1), and what perf leaves on disk.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct object;

#define BUILDID_HEX_MAX 129 /* of 64 bytes, with its NUL */

/* As text. */
void buildid_hex(const uint8_t *id, size_t bytes, char ret[BUILDID_HEX_MAX]);

/* DIR/.build-id/xx/yyyy…/NAME, for the caller to free; NULL where hex is not a build-id. name NULL: the entry itself. */
char *buildid_cache_path(const char *dir, const char *hex, const char *name);
/* Whether there is an entry that leads somewhere. */
bool buildid_cache_has(const char *dir, const char *hex);

/* Whether a path of a recording may become one below the cache. */
bool buildid_cache_is_safe(const char *path);
/* Makes DIR/PATH/HEX and the link to it. Nothing happens where both are there. */
struct strobe_error *buildid_cache_add(const char *dir, const char *hex, const char *path) _must_check_;
/* Puts the content of `from` there under that name; what is there already stays. */
struct strobe_error *buildid_cache_put(const char *dir, const char *hex, const char *name, const char *from) _must_check_;
/* The same by a link alone, and by a copy alone, for who minds what either costs. */
bool buildid_cache_link(const char *dir, const char *hex, const char *name, const char *from);
struct strobe_error *buildid_cache_copy(const char *dir, const char *hex, const char *name, const char *from) _must_check_;
/* The same for bytes in memory. */
struct strobe_error *buildid_cache_put_bytes(const char *dir, const char *hex, const char *name, const void *p,
					     size_t n) _must_check_;
/* ERROR_NOT_FOUND where there is no such entry. Directories that become empty go, too. */
struct strobe_error *buildid_cache_remove(const char *dir, const char *hex) _must_check_;

/* What an entry may hold that another machine has use for, "elf" first; NULL ends them. */
extern const char *const buildid_cache_names[];
#define BUILDID_CACHE_PACKAGE "dwp"
#define BUILDID_CACHE_SYMBOLS "symbols"
#define BUILDID_CACHE_SPLIT   "dwo-%016llx" /* an unsigned long long: the unit's id */
/* Whether it is one of those names, or that of a split unit. */
bool buildid_cache_is_name(const char *name);

/* Puts the symbols and unwind tables of an object there, as BUILDID_CACHE_SYMBOLS; see object/symbols_file.h. */
struct strobe_error *buildid_cache_put_symbols(const char *dir, const char *hex, const struct object *o) _must_check_;

struct buildid_cache_entry {
	const char *hex;
	const char *path; /* absolute, or a name in brackets; "" where the link does not say */
};
/* All of them, by path and build-id; fn returns false to stop. A cache that does not exist is an empty one. */
void buildid_cache_each(const char *dir, bool (*fn)(void *ctx, const struct buildid_cache_entry *e), void *ctx);
/* The same in no order and without their paths (NULL), which are in links that lie all over a disk. */
void buildid_cache_each_id(const char *dir, bool (*fn)(void *ctx, const struct buildid_cache_entry *e), void *ctx);
