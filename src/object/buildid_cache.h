/*
 * The build ID cache: files stored by build ID, so that recordings can be symbolised after files were replaced, or on another machine.
 *
 * The layout is perf's; each tool reads and writes the other's entries:
 *
 *	DIR/PATH/HEX/elf                the file ("vdso", "kallsyms" for those; "debug": its debug information; "probes")
 *	DIR/PATH/HEX/symbols            symbols and unwind tables of a large file, alone (perf has neither this nor these:)
 *	DIR/PATH/HEX/dwp                split debug information in one package, and
 *	DIR/PATH/HEX/dwo-0123…          of one unit, by the 16 digits of its id
 *	DIR/.build-id/xx/yyyy…          a link to ../../PATH/HEX
 *
 * PATH is that of the file, or its name in brackets. Paths with ".." are refused, since recordings are untrusted. Files are
 * added as hard links if the file system permits, else as complete copies. No state; two processes may add the same entry.
 * Source: perf-buildid-cache(1), and perf's files on disk.
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

/* DIR/.build-id/xx/yyyy…/NAME, for the caller to free; NULL: hex is not a build ID. name NULL: the entry itself. */
char *buildid_cache_path(const char *dir, const char *hex, const char *name);
/* Whether there is an entry that is not a dangling link. */
bool buildid_cache_has(const char *dir, const char *hex);

/* Whether a path in a recording may become a path below the cache. */
bool buildid_cache_is_safe(const char *path);
/* Creates DIR/PATH/HEX and the link to it, unless both exist. */
struct strobe_error *buildid_cache_add(const char *dir, const char *hex, const char *path) _must_check_;
/* Stores the content of `from` there under that name, unless it exists. */
struct strobe_error *buildid_cache_put(const char *dir, const char *hex, const char *name, const char *from) _must_check_;
/* The same only by a link, and only by a copy. */
bool buildid_cache_link(const char *dir, const char *hex, const char *name, const char *from);
struct strobe_error *buildid_cache_copy(const char *dir, const char *hex, const char *name, const char *from) _must_check_;
/* The same for bytes in memory. */
struct strobe_error *buildid_cache_put_bytes(const char *dir, const char *hex, const char *name, const void *p,
					     size_t n) _must_check_;
/* ERROR_NOT_FOUND: no such entry. Also removes directories that become empty. */
struct strobe_error *buildid_cache_remove(const char *dir, const char *hex) _must_check_;

/* The names of files in an entry that are useful on other machines, "elf" first; NULL-terminated. */
extern const char *const buildid_cache_names[];
#define BUILDID_CACHE_PACKAGE "dwp"
#define BUILDID_CACHE_SYMBOLS "symbols"
#define BUILDID_CACHE_SPLIT   "dwo-%016llx" /* an unsigned long long: the unit's id */
/* Whether it is one of those names, or that of a split unit. */
bool buildid_cache_is_name(const char *name);

/* Stores the symbols and unwind tables of an object as BUILDID_CACHE_SYMBOLS; see object/symbols_file.h. */
struct strobe_error *buildid_cache_put_symbols(const char *dir, const char *hex, const struct object *o) _must_check_;

struct buildid_cache_entry {
	const char *hex;
	const char *path; /* absolute, or a name in brackets; "": not in the link */
};
/* All entries, sorted by path and build ID; fn returns false to stop. A missing cache is empty. */
void buildid_cache_each(const char *dir, bool (*fn)(void *ctx, const struct buildid_cache_entry *e), void *ctx);
/* The same unsorted and without paths (NULL), which would require reading all links. */
void buildid_cache_each_id(const char *dir, bool (*fn)(void *ctx, const struct buildid_cache_entry *e), void *ctx);
