/*
 * Values for a child interpreter, as Python's pickle module reads them: a stream of batches, each one pickle of a flat list.
 *
 * Strings that come again are sent once and then by their number in the reader's memo, which lasts as long as the stream: one
 * Unpickler reads all batches. Of its opcodes only those of pickle_*() below are used, which a reader in another language can
 * serve. Memory cannot fail here; one thread at a time. Source: Lib/pickletools.py of Python, protocol 5.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"
#include "base/u64map.h"

struct pickle {
	struct out out;       /* the batch so far */
	struct u64map memo;   /* address of a string → its number in the reader's memo */
	uint32_t memo_nr;
	bool has_new_strings; /* one was sent in full since this was cleared: the bytes must not be sent twice */
};

void pickle_init(struct pickle *p);
void pickle_deinit(struct pickle *p);

/* The batch so far, complete; pickle_next() begins another. Nothing to send: *ret_bytes is 0. */
const char *pickle_batch(struct pickle *p, size_t *ret_bytes);
void pickle_next(struct pickle *p);
/* Bytes of the batch so far. */
static inline size_t pickle_bytes_held(const struct pickle *p)
{
	return p->out.len;
}

void pickle_none(struct pickle *p);
void pickle_bool(struct pickle *p, bool v);
void pickle_u64(struct pickle *p, uint64_t v);
void pickle_i64(struct pickle *p, int64_t v);
/* Bytes that are not valid UTF-8 become what Python's surrogateescape makes of them. */
void pickle_text(struct pickle *p, const char *s, size_t n);
/* A string that stays where it is, unchanged, for as long as the stream. */
void pickle_name(struct pickle *p, const char *s);
void pickle_bytes(struct pickle *p, const void *data, size_t n);
void pickle_bytearray(struct pickle *p, const void *data, size_t n);
/* No value by itself: from now on pickle_name() of this very string gives that attribute of the module. */
void pickle_global(struct pickle *p, const char *module, const char *name);
/* Bytes that another struct pickle made while it sent no new strings. */
void pickle_made(struct pickle *p, const char *data, size_t n);

/* What is between begin and end are its items; of a dict keys and values in turn. */
void pickle_begin_dict(struct pickle *p);
void pickle_end_dict(struct pickle *p);
void pickle_begin_list(struct pickle *p);
void pickle_end_list(struct pickle *p);
void pickle_begin_tuple(struct pickle *p);
void pickle_end_tuple(struct pickle *p);
