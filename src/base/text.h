/*
 * Small text functions: numbers with units, globs, splitting, similar names.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* Whole string must be a number (0x… is hex, leading 0 is decimal); false otherwise or on overflow. */
bool text_to_u64(const char *s, uint64_t *ret);
bool text_to_i64(const char *s, int64_t *ret);
bool text_to_f64(const char *s, double *ret);
/* "64M", "1G", "4096", "16K", "100B": powers of 1024. */
bool text_to_bytes(const char *s, uint64_t *ret);
/* "10s", "2m", "1h", "1d", "100ms": nanoseconds. A bare number is refused. */
bool text_to_duration_ns(const char *s, uint64_t *ret);
/* "0-3,7" as a bitmap-free list: calls fn for each; false: invalid, or exceeds max. */
bool text_each_cpu(const char *list, uint32_t max, bool (*fn)(void *ctx, uint32_t cpu), void *ctx);
/* -1 where it is none. */
static inline int text_hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}
/* The number of leading hex digits of s[0..n), at most 16 and without 0x, and their value. */
size_t text_hex(const char *s, size_t n, uint64_t *ret);
/* n bytes from 2 n hex digits; false: not a digit. */
bool text_hex_to_bytes(const char *s, size_t n, uint8_t *ret);
/* 2 n lower-case digits, no zero after them. */
void text_bytes_to_hex(const uint8_t *bytes, size_t n, char *ret);
/* Shell glob with * ? [set]; whole string. */
bool text_glob(const char *pattern, const char *s);
/* Whether two names are equal. Most unequal ones differ in the first byte, which is compared inline. */
static inline bool text_equal(const char *a, const char *b)
{
	return *a == *b && !strcmp(a, b);
}
bool text_has_prefix(const char *s, const char *prefix);
bool text_has_suffix(const char *s, const char *suffix);
/* Local time in 1/100 s, as in perf's file names: "2026112101234567"; owned. */
char *text_timestamp(struct timespec t);
/* The part after the last slash of a path; all of it without a slash, or if that part is empty. */
const char *text_base_name(const char *path);
/* Edit distance with transpositions, for "did you mean". */
unsigned text_distance(const char *a, const char *b);
/* The most similar of n names; NULL: none is similar enough. */
const char *text_nearest(const char *name, const char *const *names, size_t n);
/* Columns that the UTF-8 string takes on a terminal. */
size_t text_columns(const char *s);
