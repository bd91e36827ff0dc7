/*
 * Where fields lie in the structures of the running kernel, by its BTF.
 *
 * Source: Documentation/bpf/btf.rst. The file is read once per call of btf_load() and walked in place; one thread at a
 * time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "sys/sys.h"

#define BTF_FILE_MAGIC 0xeb9f

struct btf_type; /* linux/btf.h */

struct btf {
	struct strbuf bytes;
	const uint8_t *types;
	VEC(uint32_t) type_at; /* by id - 1: where it stands in types */
	const char *strings;
	uint32_t strings_bytes;
};

struct strobe_error *btf_load(const struct sys *sys, struct btf *ret) _must_check_;
/* The same of bytes that are here: those of an object of programs. */
struct strobe_error *btf_copy(const void *bytes, size_t n, struct btf *ret) _must_check_;
void btf_deinit(struct btf *b);
/* "" where there is none. */
const char *btf_string(const struct btf *b, uint32_t offset);
/* NULL for void and for what is none. */
const struct btf_type *btf_type_by_id(const struct btf *b, uint32_t id);
/* A field of a structure or union, or of an unnamed one in it: where it lies, and its type. */
bool btf_member(const struct btf *b, const struct btf_type *t, const char *name, uint32_t *ret_bits, uint32_t *ret_type);
/* The offset in bytes of a field ("thread_info", "status" give task_struct.thread_info.status); names ends in NULL. */
struct strobe_error *btf_offset(const struct btf *b, const char *structure, const char *const *names, uint32_t *ret) _must_check_;
