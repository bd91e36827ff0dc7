/*
 * A map from u64 to u64 (or to a pointer cast through uintptr_t). A zeroed map is empty and valid.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct u64map_slot {
	uint64_t key, value;
	bool used;
};

struct u64map {
	struct u64map_slot *slots;
	size_t mask, used;
};

void u64map_deinit(struct u64map *m);
/* Pointer to the value of key, or NULL; valid until the next put. */
uint64_t *u64map_get(const struct u64map *m, uint64_t key);
/* Pointer to the value of key, added with value 0 if absent (sets *ret_new, which may be NULL). */
uint64_t *u64map_put(struct u64map *m, uint64_t key, bool *ret_new);
void u64map_remove(struct u64map *m, uint64_t key);
