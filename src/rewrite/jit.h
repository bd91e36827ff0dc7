/*
 * inject --jit: each function of a jitdump becomes an ELF file beside the dump, jitted-PID-NUMBER.so, and a MMAP2
 * record at the time and address it was loaded. Records of the dump and of nameless executable memory of such processes are
 * left out, so that they do not hide the files.
 */
#pragma once
#include "base/error.h"
#include "record/env.h"
#include "record/source.h"
#include "resolve/resolve.h"

struct jit_injection;

/* The resolver has read its source. env: of the new recording. */
struct strobe_error *jit_injection_create(struct resolver *r, const struct env *env, struct jit_injection **ret) _must_check_;
void jit_injection_destroy(struct jit_injection *j);
/* Writes records that are due before this one, and returns whether to keep it. */
struct strobe_error *jit_injection_record(struct jit_injection *j, struct record r, struct record_sink *out,
					  bool *ret_keep) _must_check_;
/* Writes the remaining records at the end. */
struct strobe_error *jit_injection_finish(struct jit_injection *j, struct record_sink *out) _must_check_;
uint64_t jit_injection_functions(const struct jit_injection *j);
