/*
 * Names of functions and enumerators of a kernel or BPF program, from BTF.
 *
 * A blob may be untrusted, as in a recording: damaged data gives ERROR_FORMAT, "" or NULL. Only native byte order is
 * supported. It is walked in place; one thread at a time. Source: Documentation/bpf/btf.rst.
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
	struct strbuf bytes; /* owned; empty if borrowed */
	const uint8_t *types;
	VEC(uint32_t) type_at; /* by ID - 1: its offset in types */
	const char *strings;
	uint32_t strings_bytes;
};

/* bytes: borrowed, must outlive *ret. */
struct strobe_error *btf_borrow(const void *bytes, size_t n, struct btf *ret) _must_check_;
/* bytes: are copied. */
struct strobe_error *btf_copy(const void *bytes, size_t n, struct btf *ret) _must_check_;
void btf_deinit(struct btf *b);
/* "" where there is no function of this id. */
const char *btf_function_name(const struct btf *b, uint32_t id);
/* The enumeration of that name, of numbers of 32 bits; or NULL. */
const struct btf_type *btf_enum(const struct btf *b, const char *name);
/* The first name of the value; NULL: none. */
const char *btf_enumerator(const struct btf *b, const struct btf_type *enumeration, int32_t value);
