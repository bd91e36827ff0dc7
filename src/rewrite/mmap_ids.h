/*
 * Rewrites mappings as MMAP2 records with the build ID of their file (inject --mmap2-buildid-all), and drops those without samples
 * (inject -B). A mapping whose file has no build ID keeps its record.
 */
#pragma once
#include <stdbool.h>

#include "rewrite/build_ids.h"

struct mmap_ids;

/* Borrows ids. */
struct mmap_ids *mmap_ids_create(struct resolver *r, const struct env *env, struct build_ids *ids);
void mmap_ids_destroy(struct mmap_ids *m);
/*
 * Reads the whole source and marks the mappings with samples: others are dropped from now on. All are kept if stacks are still to be
 * unwound (STACK_USER), as the unwinder may need any.
 */
struct strobe_error *mmap_ids_drop_unused(struct mmap_ids *m, struct record_source *source) _must_check_;
/* False if the record is to be dropped; *r may be replaced by a record that is valid until the next call. */
bool mmap_ids_record(struct mmap_ids *m, struct record *r);
