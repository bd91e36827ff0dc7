/*
 * Code of scripts in a recording: resolves the addresses of interpreter frames in call chains.
 *
 * Such an address is SCRIPT_BASE plus the code's number times SCRIPT_CODE_BYTES, plus the offset of the instruction. An MMAP2 record
 * maps these addresses in a process from "[python]" or the like (base/script_names.h). The table is a section of the recording's
 * header, with the feature bit SCRIPT_FEATURE, which perf skips:
 *
 *	u32 version (1), u32 number of entries (other tables may follow the last entry); then per entry
 *	u32 number, u32 first line, u8 form of its lines (enum python_lines, or SCRIPT_LINES_ABSOLUTE), u8 0, u16 0,
 *	u32 sizes of the name, of the file name, of the lines; then these, without NULs
 *
 * in the byte order of the file. Input is hostile: damage ends the table. Const once read.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/vector.h"

#define SCRIPT_BASE	   0x7e00000000000000ull
#define SCRIPT_CODE_BITS   16
#define SCRIPT_CODE_BYTES  (1u << SCRIPT_CODE_BITS)
#define SCRIPT_CODES_MAX   (1u << 24)
#define SCRIPT_SPACE_BYTES ((uint64_t)SCRIPT_CODES_MAX << SCRIPT_CODE_BITS)
#define SCRIPT_FEATURE	   240
#define SCRIPT_TEXT_MAX	   4096
#define SCRIPT_LINES_ABSOLUTE 3 /* the instruction's offset is the line itself */

struct script_code {
	uint32_t number, first_line;
	uint8_t lines_form;
	const char *name, *file; /* not terminated */
	uint32_t name_bytes, file_bytes, lines_bytes;
	const void *lines;
};

struct script_table {
	VEC(struct script_code) list; /* by number */
};

void script_table_put_head(struct strbuf *to, uint32_t entries);
void script_table_put(struct strbuf *to, const struct script_code *code);
/* Reads one or more tables, one after the other. Borrows from the bytes. */
void script_table_read(const void *bytes, size_t n, bool swap, struct script_table *ret);
void script_table_deinit(struct script_table *t);
const struct script_code *script_table_find(const struct script_table *t, uint32_t number);
/* The line of the instruction at an offset. */
uint32_t script_line(const struct script_code *code, uint32_t offset);
