/*
 * Mappings rewritten as MMAP2 records that hold the build-id of their file (inject --mmap2-buildid-all), and those that no
 * sample lies in left out (inject -B). A mapping whose file has no build-id keeps its record.
 */
#pragma once
#include <stdbool.h>

#include "rewrite/build_ids.h"

struct mmap_ids;

/* Borrows ids. */
struct mmap_ids *mmap_ids_create(struct resolver *r, const struct env *env, struct build_ids *ids);
void mmap_ids_destroy(struct mmap_ids *m);
/*
 * Reads the whole source and marks the mappings that samples lie in: from now on others are dropped. They all stay where
 * stacks are still to be unwound (STACK_USER): the unwinder may go through any.
 */
struct strobe_error *mmap_ids_drop_unused(struct mmap_ids *m, struct record_source *source) _must_check_;
/* False where the record is to be dropped; *r may become another one, valid until the next call. */
bool mmap_ids_record(struct mmap_ids *m, struct record *r);
