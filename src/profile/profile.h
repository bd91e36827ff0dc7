/*
 * An aggregated profile: tables by ID (strings, mappings, functions, frames, stacks, label sets) and rows that refer to them.
 *
 * Used for aggregated samples and for files of other programs; read by every view and exporter.
 * Ids are indexes into the tables; elements are interned, so equal things have equal ids. While it is built it belongs
 * to one thread; profiles built by several threads are merged by profile_merge(). A finished profile is immutable: filters
 * and time slices make new ones.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/idset.h"
#include "base/strtab.h"
#include "base/vector.h"

#define PROFILE_NONE UINT32_MAX /* no such mapping, function, frame, stack or label set */

typedef uint32_t mapping_id;
typedef uint32_t function_id;
typedef uint32_t frame_id;
typedef uint32_t stack_id;
typedef uint32_t labels_id;

enum mapping_space { SPACE_USER, SPACE_KERNEL, SPACE_GUEST_KERNEL, SPACE_GUEST_USER, SPACE_HYPERVISOR, SPACE_UNKNOWN };

struct profile_mapping {
	str_id name;     /* short: "libc.so.6", "[kernel.kallsyms]" */
	str_id path;     /* long */
	str_id build_id; /* hex, or "" */
	uint64_t start, end, offset; /* of one of its mappings, for exchange formats; 0 if several differ */
	enum mapping_space space;
	uint8_t kind;    /* enum mapped_kind of machine/, as a number: profiles know no machine */
	uint32_t order;  /* sequence number of its first mapping: orders equal shares in call trees */
};

struct profile_function {
	mapping_id mapping;
	str_id name;        /* for display: demangled */
	str_id system_name; /* as linked */
	str_id file;        /* source, or "" */
	uint32_t line;      /* of its start, 0 unknown */
	uint64_t start;     /* address in the mapping's space; symbol size below; 0: unknown */
	uint64_t size;
	bool is_data;       /* an object and not a function */
	uint8_t binding;    /* STB_*: reports mark kernel and user, -v prints it */
};

enum frame_flag {
	FRAME_INLINED = 1, /* this function was inlined into the next frame (its caller) */
	FRAME_ANCHOR = 2,  /* a marker, not code: "[truncated]", or a root added by a view */
	FRAME_APART = 4,   /* innermost: the sample's address, if its recorded chain does not begin with it; not in call trees */
	FRAME_SHARED = 8,  /* data in a file that is mapped shared */
	FRAME_WAIT = 16,   /* reason of a wait, as a callee of the waiting code */
	FRAME_WAKER = 32,  /* frame of a waker's stack, reversed on top of the wait */
};

struct profile_frame {
	mapping_id mapping;   /* or PROFILE_NONE */
	function_id function; /* or PROFILE_NONE: no symbol */
	uint64_t addr;        /* in the mapping's space; equal to ip without a mapping */
	uint64_t ip;          /* an absolute address as an example, compared only without a function */
	uint32_t line;        /* source line, 0 unknown */
	uint8_t space;        /* enum mapping_space */
	uint8_t flags;
};

/* A stack is a node of the tree of callers: the frame, and the stack that called it (PROFILE_NONE at the outermost). */
struct profile_stack {
	stack_id caller;
	frame_id frame;
	uint32_t depth; /* 1 for the outermost frame */
};

/* A kind of value: a perf event, or a sample type of pprof. */
struct profile_event {
	str_id name;      /* "cycles:u", "alloc_space" */
	str_id unit;      /* of value: "", "nanoseconds", "bytes" */
	uint64_t samples; /* totals over all rows */
	uint64_t value;   /* sum of periods */
	uint64_t lost;    /* lost samples as reported by the kernel */
	uint32_t leader;  /* for --group */
	bool is_tracepoint;
};

enum column_type {
	COLUMN_STRING, /* str_id */
	COLUMN_U64,
	COLUMN_HEX,
	COLUMN_I64,
	COLUMN_FRAME,  /* frame_id: branch sources and targets, data addresses */
	COLUMN_BYTES,  /* interned bytes, not text */
};

/* A label column of this profile: pid, comm, cpu …, or a label of pprof by name. */
struct profile_label_column {
	str_id name; /* the key in columns.def, or a foreign label's name */
	str_id unit; /* pprof numeric labels */
	enum column_type type;
};

struct profile_row {
	stack_id stack;   /* innermost frame's node; PROFILE_NONE: no address at all */
	labels_id labels;
	uint32_t event;
	uint64_t samples;
	uint64_t value;   /* sum of periods, or the value in the event's unit */
	uint64_t weight;  /* sum of sample weights; 0: not recorded */
};

/* A sample of the time log: time, CPU, thread and row. */
struct profile_log_entry {
	uint64_t time_ns;
	uint32_t cpu; /* UINT32_MAX: not recorded */
	uint32_t tid;
	uint32_t row;
};

/* Properties of a foreign profile besides its rows; zeroed for a recording. */
struct profile_origin {
	bool has_time_of_day;   /* start_ns of a recording is a time of day, and not a time since boot */
	bool events_are_values; /* events are several values of each sample, such as pprof's sample types */
	bool names_are_short;   /* of folded stacks, whose names are as the scripts print them: not to be shortened again */
	str_id period_type, period_unit;
	int64_t period;
	str_id default_event;   /* shown by default; "" = the last */
	/* regular expressions: frames inside of a match of the first are dropped, unless the second matches */
	str_id drop_frames, keep_frames;
	VEC(str_id) comments;
	uint64_t skipped;       /* lines of a text that could not be read */
};

struct profile {
	struct strtab strings;
	VEC(struct profile_mapping) mappings;
	VEC(struct profile_function) functions;
	VEC(struct profile_frame) frames;
	VEC(struct profile_stack) stacks;
	VEC(struct profile_event) events;
	VEC(struct profile_label_column) columns;
	VEC(uint64_t) labels;      /* label set i is labels[i * columns.len] … */
	uint32_t labels_nr;
	VEC(struct profile_row) rows;
	VEC(struct profile_log_entry) log; /* by time; empty unless requested */
	uint64_t log_dropped;              /* number of samples beyond the log's limit */
	uint64_t start_ns, duration_ns;
	struct profile_origin origin;

	struct {
		struct idset mappings, functions, frames, stacks, labels, rows;
	} index;
};

struct profile *profile_create(void);
void profile_destroy(struct profile *p);

/* Interning: returns the ID of an equal element, which is added if new. Strings must be in p->strings. */
mapping_id profile_mapping(struct profile *p, const struct profile_mapping *m);
/* Replaces a mapping of a profile that is still being built. */
void profile_describe_mapping(struct profile *p, mapping_id id, const struct profile_mapping *m);
function_id profile_function(struct profile *p, const struct profile_function *f);
frame_id profile_frame(struct profile *p, const struct profile_frame *f);
stack_id profile_stack(struct profile *p, stack_id caller, frame_id frame);
/* Reserves room for this many further stacks. */
void profile_expect_stacks(struct profile *p, uint32_t more);
/* Likewise functions, each with a frame and names of its own. */
void profile_expect_functions(struct profile *p, uint32_t more);
/* The column of that name and kind: text, numbers (of any type), frames, bytes. If it is new, existing label sets get the value 0. */
uint32_t profile_column(struct profile *p, const char *name, enum column_type type);
/*
 * The nth (from 0) column of that name, kind and unit: a label of a foreign profile has a column per unit, and further ones if
 * a sample has several values.
 */
uint32_t profile_column_nth(struct profile *p, const char *name, enum column_type type, const char *unit, uint32_t nth);
/* Whether a column is the first of its key, texts and numbers alike. */
bool profile_column_begins_key(const struct profile *p, uint32_t column);
/* The index of a column among those with its name, kind and unit. */
uint32_t profile_column_number(const struct profile *p, uint32_t column);
/*
 * The unit of a column: its own, or that of another column of the same key; else as in pprof bytes for "alignment" and
 * "request", and the key itself for others.
 */
const char *profile_column_unit(const struct profile *p, uint32_t column);
labels_id profile_labels(struct profile *p, const uint64_t *values);
uint32_t profile_event(struct profile *p, const char *name, const char *unit);
/* The unit of an event's values. In recordings, clocks count nanoseconds, and others are a "count". */
const char *profile_event_unit(const struct profile *p, uint32_t event);
/* Adds to the row (stack, labels, event) and to the event's totals; returns the row's index. */
uint32_t profile_add(struct profile *p, stack_id stack, labels_id labels, uint32_t event, uint64_t samples, uint64_t value,
		     uint64_t weight);

/* Adds a row without a check for an equal one, which the caller excludes; likewise for stacks (stack_builder.h). */
void profile_append(struct profile *p, const struct profile_row *row);

/*
 * In a foreign profile a set need not have all labels: 0 is none, and an existing number 0 is stored as this (the least number,
 * which reads as 0). Sets of recordings have a number in each column of numbers.
 */
#define PROFILE_LABEL_ZERO ((uint64_t)1 << 63)

static inline uint64_t profile_label_of_number(int64_t n)
{
	return n ? (uint64_t)n : PROFILE_LABEL_ZERO;
}

static inline int64_t profile_label_number(uint64_t value)
{
	return value == PROFILE_LABEL_ZERO ? 0 : (int64_t)value;
}

/* The start since 1970; 0: unknown. */
static inline uint64_t profile_time_of_day(const struct profile *p)
{
	return p->origin.events_are_values || p->origin.has_time_of_day ? p->start_ns : 0;
}

/* Whether the label exists and can be shown, unlike frames and bytes. value: of a set. */
static inline bool profile_has_label(const struct profile *p, const struct profile_label_column *c, uint64_t value)
{
	if (c->type == COLUMN_FRAME || c->type == COLUMN_BYTES)
		return false;
	return value || (c->type != COLUMN_STRING && !p->origin.events_are_values);
}

static inline const uint64_t *profile_label_values(const struct profile *p, labels_id id)
{
	return p->labels.data + (size_t)id * p->columns.len;
}

static inline const char *profile_str(const struct profile *p, str_id id)
{
	return strtab_get(&p->strings, id);
}

static inline const char *profile_event_name(const struct profile *p, size_t event)
{
	return profile_str(p, p->events.data[event].name);
}

/*
 * The frame that a sample counts for: the innermost that is not an inlined one, since that is what a symbol table calls the
 * code there. PROFILE_NONE for no stack.
 */
static inline frame_id profile_self_frame(const struct profile *p, stack_id s)
{
	while (s != PROFILE_NONE && p->frames.data[p->stacks.data[s].frame].flags & FRAME_INLINED &&
	       p->stacks.data[s].caller != PROFILE_NONE)
		s = p->stacks.data[s].caller;
	return s == PROFILE_NONE ? PROFILE_NONE : p->stacks.data[s].frame;
}

/* The recorded callchain of a row's stack: without its innermost frame where that is separate; PROFILE_NONE: empty. */
static inline stack_id chain_of_stack(const struct profile *p, stack_id s)
{
	if (s == PROFILE_NONE || !(p->frames.data[p->stacks.data[s].frame].flags & FRAME_APART))
		return s;
	return p->stacks.data[s].caller;
}

/*
 * The event that a name or a number of pprof's -sample_index means; of "" the one that the profile says to show, else the
 * last (of a recording the last that has samples). ERROR_USAGE with the names there are.
 */
struct strobe_error *profile_choose_event(const struct profile *p, const char *name, uint32_t *ret) _must_check_;
/* Whether an event has that name; without_modifiers: "cycles" is also the name of "cycles:u". */
bool profile_event_is_called(const char *event, const char *name, bool without_modifiers);
/*
 * The event of p with the name and unit of another profile's, or PROFILE_NONE. If a recording has two with one name (-e a -e a),
 * the second matches the second.
 */
uint32_t profile_find_event(const struct profile *p, const struct profile *of, uint32_t event);
/* The index of a label column by name, or PROFILE_NONE. */
uint32_t profile_find_column(const struct profile *p, const char *name);
/* Information that any frame of a mapping has. */
enum mapping_fact { MAPPING_FUNCTIONS = 1, MAPPING_FILES = 2, MAPPING_LINES = 4, MAPPING_INLINES = 8 };
/* By mapping: its enum mapping_fact; free() it. */
uint8_t *profile_mapping_facts(const struct profile *p);
/* Adds all of src to dst, which is still being built; events and columns are matched by name. */
void profile_merge(struct profile *dst, const struct profile *src);
typedef bool (*profile_keep_fn)(void *ctx, const struct profile *p, const struct profile_row *row);
/* A new profile of the rows for which keep() is true. */
struct profile *profile_filter(const struct profile *p, profile_keep_fn keep, void *ctx);
/* A new profile with replaced stacks. instead: by stack of p, the stack of p that replaces it. */
struct profile *profile_replace_stacks(const struct profile *p, const stack_id *instead);
