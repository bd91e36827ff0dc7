/*
 * The section .eh_frame of a program that was linked without the table .eh_frame_hdr, as musl-gcc of Debian does: found by the section
 * headers of its file, for no program header names it.
 *
 * Makes system calls: only for the start. Source: System V ABI, chapters 4 and 5.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct eh_section {
	uint64_t address, bytes; /* before relocation */
};

/* Of the running program. False: it has none. */
bool eh_section_find(struct eh_section *ret);
