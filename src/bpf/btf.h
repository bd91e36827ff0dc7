/*
 * Where fields lie in the structures of the running kernel, by its BTF.
 *
 * Source: Documentation/bpf/btf.rst. The file is read once per call of btf_load() and walked in place; one thread at a
 * time.
 */
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/vector.h"
#include "sys/sys.h"

struct btf {
	struct strbuf bytes;
	const uint8_t *types;
	VEC(uint32_t) type_at; /* by id - 1: where it stands in types */
	const char *strings;
	uint32_t strings_bytes;
};

struct strobe_error *btf_load(const struct sys *sys, struct btf *ret) _must_check_;
void btf_deinit(struct btf *b);
/* The offset in bytes of a field ("thread_info", "status" give task_struct.thread_info.status); names ends in NULL. */
struct strobe_error *btf_offset(const struct btf *b, const char *structure, const char *const *names, uint32_t *ret) _must_check_;
