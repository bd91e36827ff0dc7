/*
 * The debug information of a program, a library, a kernel or a module: in the file itself, or in its separate debug file.
 *
 * The debug file is searched in the build ID cache, then by object_find_debug(), then on debuginfod servers.
 */
#pragma once
#include "object/debuginfod.h"
#include "object/dwarf/dwarf.h"
#include "object/object.h"

struct probe_debug_options {
	const char *symfs;          /* where files are: object/sysroot.h, or NULL */
	const char *buildid_dir;    /* the build-id cache, or NULL */
	struct debuginfod *servers; /* or NULL */
};

struct probe_debug {
	struct object *object;            /* the caller's */
	struct object *file, *supplement; /* the separate debug file, and its dwz supplement; or NULL */
	struct dwarf *dwarf;              /* NULL: there is none */
};

/* object is borrowed until probe_debug_close(). False: no debug information was found, and nothing must be closed. */
bool probe_debug_open(struct object *object, const char *path, const struct probe_debug_options *options, struct probe_debug *ret);
void probe_debug_close(struct probe_debug *d);
/* The file that has the debug information. */
static inline struct object *probe_debug_file(const struct probe_debug *d)
{
	return d->file ? d->file : d->object;
}
