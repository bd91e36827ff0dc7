/*
 * The maps of the BPF program that walks stacks: writes tables, and the table of each file, while the program runs.
 *
 * Tables are written to memory shared with the kernel, without system calls, and user space may walk by the same tables. When
 * all chunks are full, another is added, which takes the kernel a grace period (tens of milliseconds) and does not delay the
 * program. The table of a file is one element of a map. One thread at a time.
 */
#pragma once
#include "base/error.h"
#include "bpf/load/programs.h"
#include "bpf/unwind/unwind_shared.h"
#include "unwind/table.h"

struct unwind_maps;

/* The loaded programs must outlive it. */
struct strobe_error *unwind_maps_create(const struct sys *sys, struct bpf_loaded *loaded, struct unwind_maps **ret) _must_check_;
void unwind_maps_destroy(struct unwind_maps *m);

struct unwind_maps_table {
	uint64_t base; /* of unwind_table */
	uint32_t pages, pages_nr, rows;
	uint32_t *pages_at, *rows_at; /* the same, here */
};

/* Copies a table; after an error the copied part remains until the maps are destroyed. An error if words, rules or memory are exhausted. */
struct strobe_error *unwind_maps_add_table(struct unwind_maps *m, const struct unwind_table *t,
					   struct unwind_maps_table *ret) _must_check_;
/* Sets what the program has to do with code of a file. If there are too many files, those requested first are removed. */
struct strobe_error *unwind_maps_set_file(struct unwind_maps *m, const struct unwind_file_key *key,
					  const struct unwind_file_code *code) _must_check_;
