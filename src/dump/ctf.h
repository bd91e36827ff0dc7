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
 * Names come from files: what TSDL would not take for a name is made one, in a way that readers undo where that is possible.
 * Strings are made harmless as perf makes them: a byte that is not printable UTF-8 becomes \xNN. Numbers are written
 * in the byte order of this machine, which the description names.
 *
 * The trace owns its files until ctf_finish(); whatever ends before that leaves nothing behind. A write that failed is kept
 * and returned by ctf_finish(). One thread. Source: the CTF 1.8.3 specification; files are named and laid out as by perf.
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
	CTF_SEQUENCE, /* a number of 4 bytes says how many follow */
};

struct ctf_field {
	const char *name;
	enum ctf_kind kind;
	uint8_t bytes; /* of a number: 1, 2, 4 or 8 */
	enum ctf_shape shape;
	uint32_t count;
	const char *size_name; /* of a sequence's length; NULL: its name with _size */
};

/* What the description has beside the classes; NULL where unknown. */
struct ctf_facts {
	const char *host, *release, *version, *machine;
	int64_t clock_offset_ns; /* to be added to all times */
};

struct ctf_trace;

/*
 * Makes the directory, or takes one that is empty; with replace, one that holds a trace, whose files are removed. ERROR_USAGE
 * where it holds anything else, since a reader would take that for a part of the trace.
 */
struct strobe_error *ctf_create(const char *directory, bool replace, struct ctf_trace **ret) _must_check_;
/* Begins a class and returns its number. Fields are described in the order in which an event has them. */
uint32_t ctf_class_begin(struct ctf_trace *t, const char *name);
void ctf_class_field(struct ctf_trace *t, const struct ctf_field *f);
void ctf_class_end(struct ctf_trace *t);
/*
 * Begins an event; its fields are written to what is returned, until the next event. Events of a CPU come in the order of time:
 * one that is late gets the time of the one before, since readers refuse a clock that goes back.
 */
struct out *ctf_event(struct ctf_trace *t, uint32_t cpu, uint64_t time_ns, uint32_t class);
/* So many events of this CPU were lost up to now. */
void ctf_lost(struct ctf_trace *t, uint32_t cpu, uint64_t events);
/* True once a write has failed: long loops may stop. */
bool ctf_failed(const struct ctf_trace *t);
/* Writes what is left, the description last: before that no reader takes the directory for a trace. */
struct strobe_error *ctf_finish(struct ctf_trace *t, const struct ctf_facts *facts) _must_check_;
/* Of what is not finished, nothing stays. */
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
