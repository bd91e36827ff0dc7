/*
 * A JSON text as a tree of values in one array. For foreign files: everything is checked.
 *
 * Strings are decoded; a lone half of a surrogate pair becomes U+FFFD. Numbers are doubles. Depth is limited, memory is at
 * most some 30 times the text. Free with json_doc_deinit(), also after an error of json_parse().
 * Source: RFC 8259.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vector.h"

#define JSON_NONE UINT32_MAX

enum json_kind { JSON_KIND_NULL, JSON_KIND_FALSE, JSON_KIND_TRUE, JSON_KIND_NUMBER, JSON_KIND_STRING, JSON_KIND_ARRAY,
		 JSON_KIND_OBJECT };

struct json_value {
	enum json_kind kind;
	uint32_t next;             /* in the same array or object, or JSON_NONE; a member's name is in key */
	uint32_t key, key_bytes;   /* in json_doc.text */
	union {
		double number;
		struct {
			uint32_t text, bytes; /* in json_doc.text, with a NUL after it */
		};
		struct {
			uint32_t first, nr;   /* children */
		};
	};
};

struct json_doc {
	VEC(struct json_value) values; /* the root first */
	VEC(char) text;
};

struct strobe_error *json_parse(const uint8_t *p, size_t n, struct json_doc *ret) _must_check_;
void json_doc_deinit(struct json_doc *d);

/* Lenient look-ups: for JSON_NONE or a value of another kind they return JSON_NONE, "" or the given default. */
uint32_t json_member(const struct json_doc *d, uint32_t object, const char *key);
static inline uint32_t json_first(const struct json_doc *d, uint32_t v)
{
	return v != JSON_NONE && d->values.data[v].kind >= JSON_KIND_ARRAY ? d->values.data[v].first : JSON_NONE;
}
static inline uint32_t json_next(const struct json_doc *d, uint32_t v)
{
	return d->values.data[v].next;
}
static inline uint32_t json_length(const struct json_doc *d, uint32_t v)
{
	return v != JSON_NONE && d->values.data[v].kind >= JSON_KIND_ARRAY ? d->values.data[v].nr : 0;
}
static inline bool json_is(const struct json_doc *d, uint32_t v, enum json_kind kind)
{
	return v != JSON_NONE && d->values.data[v].kind == kind;
}
double json_number(const struct json_doc *d, uint32_t v, double otherwise);
const char *json_text(const struct json_doc *d, uint32_t v);
const char *json_key_of(const struct json_doc *d, uint32_t v);
/* A whole number of at least 0, for indexes of tables; or JSON_NONE. */
uint32_t json_index(const struct json_doc *d, uint32_t v);
