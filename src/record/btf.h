/*
 * Types of a kernel or of a BPF program, by their BTF: what functions and values of enumerations are called.
 *
 * A blob may be anybody's, as in a recording: what lies is damaged or missing (ERROR_FORMAT, "", NULL). Only one in this
 * machine's byte order is read. It is kept, and walked in place; one thread at a time. Source: Documentation/bpf/btf.rst.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vector.h"

#define BTF_FILE_MAGIC 0xeb9f

struct btf_type; /* linux/btf.h */

struct btf {
	struct strbuf bytes; /* its own; empty where they are borrowed */
	const uint8_t *types;
	VEC(uint32_t) type_at; /* by id - 1: where it is in types */
	const char *strings;
	uint32_t strings_bytes;
};

/* bytes: stay the caller's, and stay as long as *ret. */
struct strobe_error *btf_borrow(const void *bytes, size_t n, struct btf *ret) _must_check_;
/* bytes: are copied. */
struct strobe_error *btf_copy(const void *bytes, size_t n, struct btf *ret) _must_check_;
void btf_deinit(struct btf *b);
/* "" where there is no function of this id. */
const char *btf_function_name(const struct btf *b, uint32_t id);
/* The enumeration of that name, of numbers of 32 bits; or NULL. */
const struct btf_type *btf_enum(const struct btf *b, const char *name);
/* What the value is called in it, first of several names; NULL where it has none. */
const char *btf_enumerator(const struct btf *b, const struct btf_type *enumeration, int32_t value);
