/*
 * Addresses of a recording replaced by others that say nothing of where things were in memory (inject --aslr).
 *
 * Each mapping gets a new place: user mappings one after the other from a low address, those of the kernel from the start of
 * its half. Addresses within a mapping keep their distance from its start, so that functions and lines are named as before;
 * an address outside of all mappings becomes 0. Registers are taken out of samples; samples with contents of memory (raw
 * data, stacks), physical addresses or AUX data are dropped, and so are records whose contents cannot be rewritten.
 *
 * Records must come in order of time, and the machine must know the mappings by then. Borrows the resolver. Of one thread.
 */
#pragma once
#include "base/error.h"
#include "record/env.h"
#include "record/source.h"
#include "resolve/resolve.h"

struct aslr;

struct aslr *aslr_create(struct resolver *r, const struct env *env);
void aslr_destroy(struct aslr *a);
/* The environment of the new recording: valid as long as a. Events that the source names later are in it by then. */
const struct env *aslr_env(const struct aslr *a);
/* Writes what becomes of the record, and sets *ret_keep to false; or leaves it to be kept. */
struct strobe_error *aslr_record(struct aslr *a, struct record r, struct record_sink *out, bool *ret_keep) _must_check_;
/* How many samples were dropped. */
uint64_t aslr_dropped(const struct aslr *a);
