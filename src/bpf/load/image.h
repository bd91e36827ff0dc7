/*
 * BPF programs as tools/link_bpf.py writes them when strobe is built: linked, with maps referred to by number. The kernel only has
 * to relocate accesses to fields of its own types (CO-RE), using `types` and the relocations of each program.
 *
 * The arrays are constants of the program. Source: bpf(2), linux/bpf.h (BPF_PROG_LOAD from Linux 5.17 on).
 */
#pragma once
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/load/kernel.h"

struct bpf_image_map {
	const char *name; /* ".rodata", ".bss": of a section */
	struct bpf_map_shape shape;
	uint32_t key_type, value_type;    /* in the types; 0: none is required */
	const struct bpf_map_shape *inner; /* of maps that hold maps; else NULL */
};

struct bpf_image_program {
	const char *name;
	enum bpf_prog_type type;
	const char *tracepoint; /* of a raw tracepoint program */
	const uint64_t *code;
	uint32_t code_nr;
	const struct bpf_func_info *functions;
	uint32_t functions_nr;
	const struct bpf_core_relo *relocations;
	uint32_t relocations_nr;
	bool sleeps; /* it may wait for memory */
};

struct bpf_image {
	const char *name;
	const void *types;
	size_t types_bytes;
	const struct bpf_image_map *maps;
	uint32_t maps_nr;
	const struct bpf_image_program *programs;
	uint32_t programs_nr;
};
