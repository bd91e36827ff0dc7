/*
 * A trace in the Common Trace Format 1.8: classes of events described in text, and their events as bytes, in one file of
 * packets for each CPU. It knows nothing of samples.
 *
 *	ctf_create("trace", false, &t);
 *	uint32_t id = ctf_class_begin(t, "sched:sched_switch");
 *	ctf_class_field(t, &(struct ctf_field){ "prev_pid", CTF_SIGNED, .bytes = 4 });
 *	ctf_class_end(t);
 *	struct out *event = ctf_event(t, cpu, time_ns, id);
 *	ctf_put_number(event, pid, 4);
 *	ctf_finish(t, &facts);
 *
 * Names come from files: invalid TSDL names are converted, if possible in a way that readers reverse. Strings are escaped as
 * in perf: a byte that is not printable UTF-8 becomes \xNN. Numbers have native byte order, which the description specifies.
 *
 * The trace owns its files until ctf_finish(); if it is destroyed before that, they are removed. A write error is kept and
 * returned by ctf_finish(). One thread. Source: the CTF 1.8.3 specification; files are named and laid out as by perf.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/out.h"

enum ctf_kind { CTF_UNSIGNED, CTF_SIGNED, CTF_HEX, CTF_STRING };
enum ctf_shape {
	CTF_ONE,
	CTF_ARRAY,    /* `count` of them */
	CTF_SEQUENCE, /* a 4-byte count, then the elements */
};

struct ctf_field {
	const char *name;
	enum ctf_kind kind;
	uint8_t bytes; /* of a number: 1, 2, 4 or 8 */
	enum ctf_shape shape;
	uint32_t count;
	const char *size_name; /* of a sequence's length; NULL: its name with _size */
};

/* Facts in the description besides the classes; NULL: unknown. */
struct ctf_facts {
	const char *host, *release, *version, *machine;
	int64_t clock_offset_ns; /* to be added to all times */
};

struct ctf_trace;

/*
 * Creates the directory, or uses an empty one; with replace, one with a trace, whose files are removed. ERROR_USAGE if it has any
 * other file, which a reader would take for a part of the trace.
 */
struct strobe_error *ctf_create(const char *directory, bool replace, struct ctf_trace **ret) _must_check_;
/* Begins a class and returns its number. Fields are described in the order in which an event has them. */
uint32_t ctf_class_begin(struct ctf_trace *t, const char *name);
void ctf_class_field(struct ctf_trace *t, const struct ctf_field *f);
void ctf_class_end(struct ctf_trace *t);
/*
 * Begins an event; write its fields to the returned out, before the next event. Events of a CPU are in order of time: a late one gets
 * the time of the one before, since readers reject clocks that go back.
 */
struct out *ctf_event(struct ctf_trace *t, uint32_t cpu, uint64_t time_ns, uint32_t class);
/* Sets the number of lost events of this CPU so far. */
void ctf_lost(struct ctf_trace *t, uint32_t cpu, uint64_t events);
/* True once a write has failed: long loops may stop. */
bool ctf_failed(const struct ctf_trace *t);
/* Writes the rest, the description last: without it the directory is not a trace. */
struct strobe_error *ctf_finish(struct ctf_trace *t, const struct ctf_facts *facts) _must_check_;
/* Removes the files of an unfinished trace. */
void ctf_destroy(struct ctf_trace *t);

/* bytes: 1, 2, 4 or 8 */
static inline void ctf_put_number(struct out *out, uint64_t v, unsigned bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v <<= 64 - 8 * bytes;
#endif
	memcpy(out_reserve(out, sizeof(v)), &v, sizeof(v));
	out->len += bytes;
}
void ctf_put_string(struct out *out, const char *s, size_t n);
