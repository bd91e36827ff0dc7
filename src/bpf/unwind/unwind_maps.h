/*
 * The maps of the BPF program that walks stacks: tables, and which file has which, are written here, while it runs.
 *
 * Words of tables are written through memory that is shared with the kernel, with no call for each, and user space may walk
 * along the same ones; when they fill the chunks that there are, another is made, which costs the kernel a grace period (tens
 * of milliseconds) and the program nothing. Which table a file has is one element of a map. One thread at a time.
 */
#pragma once
#include "base/error.h"
#include "bpf/load/programs.h"
#include "bpf/unwind/unwind_shared.h"
#include "unwind/table.h"

struct unwind_maps;

/* The loaded programs outlive it. */
struct strobe_error *unwind_maps_create(const struct sys *sys, struct bpf_loaded *loaded, struct unwind_maps **ret) _must_check_;
void unwind_maps_destroy(struct unwind_maps *m);

struct unwind_maps_table {
	uint64_t base; /* of unwind_table */
	uint32_t pages, pages_nr, rows;
	uint32_t *pages_at, *rows_at; /* the same, here */
};

/* Copies a table; what is there of it stays until the maps are destroyed. An error where no more fits: of words, of rules, or of memory. */
struct strobe_error *unwind_maps_add_table(struct unwind_maps *m, const struct unwind_table *t,
					   struct unwind_maps_table *ret) _must_check_;
/* What the program shall do with code of a file. It removed those that it requested first, where there are too many. */
struct strobe_error *unwind_maps_set_file(struct unwind_maps *m, const struct unwind_file_key *key,
					  const struct unwind_file_code *code) _must_check_;
