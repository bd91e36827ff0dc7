/*
 * The maps of the BPF program that walks stacks: tables and the mappings of processes are written here, while it runs.
 *
 * Words of tables are written through memory that is shared with the kernel, with no call for each, and user space may walk
 * along the same ones; when they fill the chunks that there are, another is made, which costs the kernel a grace period (tens
 * of milliseconds) and the program nothing. The mappings of a process are written to a place that no walk has looked at for
 * long, and then named in one step; when the places come round to those of another process, that one is removed, and requests
 * again. One thread at a time.
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
/* What a process has mapped, by address; mm as in its request. Where it has too much, the rest is left out. */
struct strobe_error *unwind_maps_set_process(struct unwind_maps *m, uint32_t pid, uint64_t mm,
					     const struct unwind_mapping *list, size_t n) _must_check_;
void unwind_maps_forget_process(struct unwind_maps *m, uint32_t pid);
