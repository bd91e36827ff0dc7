/*
 * A growing array of any type:
 *
 *	VEC(struct map *) maps = {};
 *	vec_push(&maps, m);
 *	for (size_t i = 0; i < maps.len; i++) use(maps.data[i]);
 *	vec_deinit(&maps);
 *
 * A zeroed vector is empty and valid. Elements move when it grows: keep indexes, not pointers.
 */
#pragma once
#include <stddef.h>
#include <string.h>

#define VEC(type)                \
	struct {                 \
		type *data;      \
		size_t len, cap; \
	}

/* Makes room for min elements of elem_bytes; grows by doubling. Returns the new data. */
void *vec_grow(void *data, size_t *cap, size_t min, size_t elem_bytes);

#define vec_reserve(v, n)                                                                              \
	do {                                                                                           \
		if ((size_t)(n) > (v)->cap)                                                            \
			(v)->data = vec_grow((v)->data, &(v)->cap, (n), sizeof(*(v)->data));           \
	} while (0)

#define vec_push(v, elem)                          \
	do {                                       \
		vec_reserve(v, (v)->len + 1);      \
		(v)->data[(v)->len++] = (elem);    \
	} while (0)

/* The same for very many vectors, most of them with one element: initially has room for only one. */
#define vec_push_lean(v, elem)                                                                         \
	do {                                                                                           \
		if (!(v)->cap) {                                                                       \
			(v)->cap = 1;                                                                  \
			(v)->data = vec_grow(NULL, &(v)->cap, 1, sizeof(*(v)->data));                  \
		}                                                                                      \
		vec_push(v, elem);                                                                     \
	} while (0)

/* Appends n uninitialised elements and returns a pointer to the first. */
#define vec_extend(v, n)                                  \
	({                                                \
		vec_reserve(v, (v)->len + (n));           \
		(v)->len += (n);                          \
		&(v)->data[(v)->len - (n)];               \
	})

/*
 * The number of leading elements for which a condition is true, by a binary search; it must be false for all others.
 *
 *	size_t after = vec_search(&maps, map, map->start <= address);
 *
 * name is a pointer to the element, for use in the condition.
 */
#define vec_search(v, name, condition)                                          \
	({                                                                      \
		size_t search_low = 0, search_high = (v)->len;                  \
		while (search_low < search_high) {                              \
			size_t search_mid = (search_low + search_high) / 2;     \
			__typeof__(&(v)->data[0]) name = &(v)->data[search_mid]; \
			if (condition)                                          \
				search_low = search_mid + 1;                    \
			else                                                    \
				search_high = search_mid;                       \
		}                                                               \
		search_low;                                                     \
	})

#define vec_last(v) ((v)->data[(v)->len - 1])
#define vec_clear(v) ((void)((v)->len = 0))
void vec_free(void *data);
#define vec_deinit(v)                                      \
	do {                                               \
		vec_free((v)->data);                       \
		memset((v), 0, sizeof(*(v)));              \
	} while (0)
