/*
 * A JSON writer on a byte sink: the caller writes the structure; commas and escapes are added.
 *
 *	json_object(&j); json_key(&j, "n"); json_u64(&j, 3); json_end(&j);
 *
 * Invalid bytes in strings that are not UTF-8 become U+FFFD. Depth is limited to JSON_DEPTH.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

#define JSON_DEPTH 64

struct json {
	struct out *out;
	int depth;
	bool indent; /* newlines and two blanks a level */
	char kind[JSON_DEPTH];  /* '{' or '[' */
	bool first[JSON_DEPTH];
	bool after_key;
};

void json_init(struct json *j, struct out *out, bool indent);
/*
 * The first two members of every document and of the first line of every stream that a command prints (doc/JSON.md), in the
 * object that was just begun. format: "strobe-NAME"; the version changes when members change their meaning or are removed.
 */
void json_format(struct json *j, const char *format, unsigned version);
void json_object(struct json *j);
void json_array(struct json *j);
void json_end(struct json *j); /* of the innermost object or array */
void json_key(struct json *j, const char *key);
void json_str(struct json *j, const char *s);
void json_str_n(struct json *j, const char *s, size_t n);
void json_u64(struct json *j, uint64_t v);
void json_i64(struct json *j, int64_t v);
void json_f64(struct json *j, double v); /* NaN and infinities become null */
void json_bool(struct json *j, bool v);
void json_null(struct json *j);
void json_hex(struct json *j, uint64_t v); /* "0x1f" as a string */
void json_bytes(struct json *j, const uint8_t *p, size_t n); /* two hex digits each */
/* A key with its value; a string may be NULL, which becomes null. */
void json_pair_str(struct json *j, const char *key, const char *s);
void json_pair_u64(struct json *j, const char *key, uint64_t v);
void json_pair_hex(struct json *j, const char *key, uint64_t v);
