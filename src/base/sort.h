/*
 * Sorting of (key, value) pairs by 64-bit key, stable, in linear time where it pays.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct sort_pair {
	uint64_t key, value;
};

/* Stable. Detects input that is already sorted, and short arrays; else radix passes over the bytes that differ. */
void sort_pairs(struct sort_pair *pairs, size_t n);
