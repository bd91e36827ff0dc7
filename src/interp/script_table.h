/*
 * Code of scripts in a recording: what the addresses stand for that call chains have for frames of interpreters.
 *
 * Such an address is SCRIPT_BASE plus the code's number times SCRIPT_CODE_BYTES, plus the offset of the instruction. A process has
 * these addresses mapped from "[python]" or the like (base/script_names.h), by a MMAP2 record. The table is a section of the
 * recording's header, with the feature bit SCRIPT_FEATURE, which perf skips:
 *
 *	u32 version (1), u32 number of entries (other tables may follow the last of them); then for each
 *	u32 number, u32 first line, u8 form of its lines (enum python_lines, or SCRIPT_LINES_ABSOLUTE), u8 0, u16 0,
 *	u32 bytes of the name, of the file's name, of the lines; these, without NULs
 *
 * in the byte order of the file. Input is hostile: what is damaged ends the table. Const once read.
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
#define SCRIPT_LINES_ABSOLUTE 3 /* the offset of the instruction is the line itself */

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
/* One or more, one after the other. Borrows from the bytes. */
void script_table_read(const void *bytes, size_t n, bool swap, struct script_table *ret);
void script_table_deinit(struct script_table *t);
const struct script_code *script_table_find(const struct script_table *t, uint32_t number);
/* Of the instruction at an offset. */
uint32_t script_line(const struct script_code *code, uint32_t offset);
