/*
 * Replaces the addresses of a recording by others that reveal nothing about the memory layout (inject --aslr).
 *
 * Each mapping gets a new address: user mappings are consecutive from a low address, those of the kernel from the start of its half.
 * Offsets within a mapping are kept, so that symbols and lines are resolved as before; an address outside of all mappings becomes 0.
 * Registers are removed from samples; samples with memory contents (raw data, stacks), physical addresses or AUX data are dropped,
 * and so are records whose contents cannot be rewritten.
 *
 * Records must come in order of time, and the machine must know the mappings by then. Borrows the resolver. One thread.
 */
#pragma once
#include "base/error.h"
#include "record/env.h"
#include "record/source.h"
#include "resolve/resolve.h"

struct aslr;

struct aslr *aslr_create(struct resolver *r, const struct env *env);
void aslr_destroy(struct aslr *a);
/* The environment of the new recording: valid as long as a. Includes events that the source named later. */
const struct env *aslr_env(const struct aslr *a);
/* Writes the rewritten record, and sets *ret_keep to false; or sets it to true to keep the record. */
struct strobe_error *aslr_record(struct aslr *a, struct record r, struct record_sink *out, bool *ret_keep) _must_check_;
/* The number of dropped samples. */
uint64_t aslr_dropped(const struct aslr *a);
