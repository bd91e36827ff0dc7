/*
 * HotSpot, the virtual machine of OpenJDK: libjvm has tables of its structures, made for debuggers, whose contents are there when the
 * process runs. Data comes from another process and is hostile.
 */
#pragma once
#include "base/strbuf.h"
#include "interp/layouts.h"
#include "interp/memory.h"

/* vaddrs of what describes its structures. */
enum hotspot_symbol {
	HOTSPOT_STRUCTS,
	HOTSPOT_STRUCT_BYTES,
	HOTSPOT_STRUCT_TYPE,
	HOTSPOT_STRUCT_FIELD,
	HOTSPOT_STRUCT_FORM,
	HOTSPOT_STRUCT_OFFSET,
	HOTSPOT_STRUCT_ADDRESS,
	HOTSPOT_TYPES,
	HOTSPOT_TYPE_BYTES,
	HOTSPOT_TYPE_NAME,
	HOTSPOT_TYPE_SIZE,
	HOTSPOT_SYMBOLS,
};

struct hotspot_symbols {
	uint64_t of[HOTSPOT_SYMBOLS]; /* 0: missing */
};

/* Reads the layout of a process that has them mapped at their vaddr + bias; false: it has no code yet, or is of an unknown version. */
bool hotspot_read(const struct interp_memory *memory, const struct hotspot_symbols *symbols, uint64_t bias, struct hotspot_layout *ret);
/* Appends a method's compressed table of lines in the form PYTHON_LINES_LNOTAB; returns its first line, or 0. */
uint32_t hotspot_lines_convert(const void *lines, size_t n, bool has_no_null, struct strbuf *to);
/* "java/util/TreeMap" → "java.util.TreeMap". */
void hotspot_class_name(char *name);
