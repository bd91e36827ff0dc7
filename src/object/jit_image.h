/*
 * An ELF file made of one function that a run-time compiler wrote into memory, so that any tool can name it.
 *
 * .text lies at JIT_IMAGE_TEXT, in the file and as an address, with a segment over it; then come .eh_frame where the compiler
 * gave one (from the next multiple of 8, which is what its relative pointers were made for), a symbol, a build-id made of
 * the content, and lines as DWARF 4. The layout is that of perf. 64-bit, in our byte order.
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
