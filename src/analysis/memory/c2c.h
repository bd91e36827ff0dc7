/*
 * Cache lines shared by CPUs, from the memory access samples of a recording.
 *
 *	err = c2c_run(&request, &c);     *ret in any case; on an error it holds the complete part
 *	... c2c_sums(c) ...              analysis/memory/c2c_text.h shows them
 *	c2c_remarks(c);
 *	c2c_destroy(c);
 *
 * Everything that the request points to must outlive it. One thread. Source: perf-c2c(1).
 */
#pragma once
#include "analysis/memory/access_counts.h"
#include "analysis/memory/c2c_stacks.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/vector.h"
#include "record/env.h"
#include "session/host.h"

/* The loads by which lines are selected and sorted: loads of lines that another core had modified, or had at all (peer). */
enum c2c_display { C2C_TOTAL, C2C_LOCAL, C2C_REMOTE, C2C_PEER };

/* Keys that divide the accesses of an offset into rows. */
enum c2c_key { C2C_PID, C2C_TID, C2C_CODE, C2C_OBJECT, C2C_KEYS };

struct c2c_request {
	const struct session_host *host;
	const char *input; /* as in session_open() */
	const char *vmlinux; /* or NULL */
	bool force;
	const char *display;  /* tot, lcl, rmt or peer; NULL: peer on Arm, else tot */
	const char *coalesce; /* pid, tid, iaddr, dso, separated by commas; NULL: iaddr */
	bool double_lines;    /* lines in pairs, which processors fetch together */
	bool show_all;        /* also lines with less than 0.05 % of the loads */
	bool with_lines;      /* of source code */
	const char *call_graph; /* as `report -g`; "none": no stacks; NULL: callees first, if stacks were recorded */
	bool stitch_calls;    /* continue call stacks of the branch hardware with those of earlier samples */
	const char *syntax;   /* of instructions: att or intel; NULL: do not show them */
};

typedef VEC(uint64_t) c2c_bits; /* by CPU or node */

struct c2c_mean {
	uint64_t nr;
	double mean;
};

/* The NUMA nodes of addresses. */
struct c2c_places {
	c2c_bits nodes;    /* by index in env.numa */
	uint64_t last;     /* physical address */
	uint64_t changes;  /* changes of the physical address between samples */
};

struct c2c_row {
	uint64_t offset;   /* in the line */
	uint32_t pid, tid;
	const char *comm;
	uint64_t code;     /* address of the instruction */
	char level;        /* 'k', '.', … */
	const char *symbol, *object, *source;
	const char *instruction; /* or NULL: not shown, or not known */
	const char *variable; /* "counters+0x8", or NULL */
	struct access_counts counts;
	struct c2c_mean remote, local, remote_peer, local_peer, load; /* cycles */
	c2c_bits cpus;
	struct c2c_places places;
	VEC(struct access_counts) nodes; /* by index in env.numa, without trailing empty ones */
	uint32_t line, object_id;
	bool is_hidden;    /* has neither displayed loads nor stores */
};

struct c2c_line {
	uint64_t address;  /* of the first access */
	uint64_t key;      /* its address in the mapped object */
	uint32_t file, pid; /* the mapped file; the process of private memory; or UINT32_MAX */
	bool is_kernel;
	const char *variable; /* of the first access with one: "counters", or NULL */
	struct access_counts counts;
	struct c2c_places places;
	VEC(uint32_t) rows; /* in order, as shown */
	bool is_hidden;
};

struct c2c_sums {
	const struct env *env;
	enum c2c_display display;
	bool has_key[C2C_KEYS], has_source, has_instructions, double_lines;
	enum c2c_key keys[C2C_KEYS]; /* the selected keys, in order */
	unsigned keys_nr;
	struct access_counts all, shared; /* of all samples, and of shared lines */
	uint64_t shared_lines;
	VEC(struct c2c_line) lines;
	VEC(struct c2c_row) rows;
	VEC(uint32_t) shown; /* lines in order */
	VEC(uint32_t) node_of_cpu; /* index in env.numa; UINT32_MAX: in none */
	struct c2c_stacks stacks;
	const char *grouping; /* "offset,iaddr" */
};

struct c2c;

struct strobe_error *c2c_run(const struct c2c_request *q, struct c2c **ret) _must_check_;
void c2c_destroy(struct c2c *c);
const struct c2c_sums *c2c_sums(const struct c2c *c);
void c2c_remarks(const struct c2c *c);
/* The number of loads for a display. */
uint64_t c2c_displayed(enum c2c_display display, const struct access_counts *c);
static inline bool c2c_has_bit(const c2c_bits *bits, uint32_t i)
{
	return i / 64 < bits->len && bits->data[i / 64] >> i % 64 & 1;
}
