/*
 * An ELF file from any bytes: they are split into sections, each of which begins with the index of its name (one byte) and its length
 * (two bytes, little-endian). The second and later sections of a name are skipped.
 */
#pragma once
#include <stdint.h>

#include "object/testing_elf.h"

#define SECTIONS_MAX 32

/* vaddr: of all sections. names_nr: at most SECTIONS_MAX. */
static inline void add_sections(struct elf_builder *b, const char *const *names, size_t names_nr, uint64_t vaddr, const uint8_t *data,
				size_t size)
{
	bool is_added[SECTIONS_MAX] = {};
	for (size_t at = 0; at + 3 <= size;) {
		size_t which = data[at] % names_nr, n = data[at + 1] | (size_t)data[at + 2] << 8;
		at += 3;
		n = n < size - at ? n : size - at;
		if (!is_added[which])
			elf_add_section(b, names[which], SHT_PROGBITS, 0, vaddr, data + at, n);
		is_added[which] = true;
		at += n;
	}
}
