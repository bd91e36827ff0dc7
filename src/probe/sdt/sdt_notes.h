/*
 * Markers in programs (SDT, USDT), from their notes, and their lines in the build ID cache.
 *
 * A note of .note.stapsdt has the address of a marker, provider, name, and the locations of its arguments. A cache's
 * "probes" has for each marker "%sdt_PROVIDER:NAME=NAME" and the definition of its uprobe. Addresses are adjusted by the
 * prelink displacement of .stapsdt.base. Arguments that a uprobe cannot fetch (constants, symbols; all on architectures
 * other than x86) are left out. Sources: SystemTap's UserSpaceProbeImplementation, the kernel's uprobetracer.rst.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "object/object.h"

struct sdt_note {
	uint64_t vaddr, semaphore; /* semaphore: 0 = none */
	const char *provider, *name, *arguments;
};

/* In the order of the file; fn returns false to stop. */
void sdt_notes_each(struct object *o, bool (*fn)(void *ctx, const struct sdt_note *n), void *ctx);
/* In the syntax of uprobes, each after a blank: " arg1=%di:s32 arg3=-8(%bp):u64". */
void sdt_note_arguments(const struct object *o, const struct sdt_note *n, struct strbuf *ret);
/* The lines of all markers; path: the file for the probes. */
void sdt_notes_lines(struct object *o, const char *path, struct strbuf *ret);
