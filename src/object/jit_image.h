/*
 * Makes an ELF file of one JIT-compiled function, so that any tool can symbolise it.
 *
 * .text is at JIT_IMAGE_TEXT, as file offset and address, in a segment; it is followed by .eh_frame if the compiler wrote one
 * (from the next multiple of 8 on, for which its relative pointers were made), a symbol, a build ID computed from the
 * content, and lines as DWARF 4. The layout is perf's. 64-bit, in native byte order.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"

#define JIT_IMAGE_TEXT 0x80

struct jit_image_line {
	uint64_t offset; /* in the code */
	uint32_t line;
	const char *file;
};

struct jit_image {
	uint16_t e_machine;
	const char *name;
	const void *code;
	size_t code_bytes;
	const void *frames; /* .eh_frame, and .eh_frame_hdr after it; or NULL */
	size_t frames_bytes, frames_header_bytes;
	const struct jit_image_line *lines; /* by offset */
	size_t lines_nr;
};

/* Appends the file to an empty buffer. */
void jit_image_write(const struct jit_image *image, struct strbuf *ret, uint8_t ret_build_id[20]);
