/*
 * Tracepoint formats: the fields of raw samples, and how the kernel prints them.
 *
 * A `struct tracepoints` is filled from the TRACING_DATA section of a recording, or format by format from tracefs. It owns
 * everything; returned pointers are valid until tracepoints_destroy(). Once filled, it is read-only and may be shared by threads.
 * Formats come from files and are hostile: an invalid format is an error that names it, and fields beyond the end of a sample read
 * as zeros. Sources: Documentation/trace/events.rst, perf.data-file-format.txt (HEADER_TRACING_DATA), trace-cmd.dat.v6(5).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json.h"
#include "base/out.h"
#include "record/env.h"

enum field_kind {
	FIELD_NUMBER,
	FIELD_ARRAY,            /* fixed: elements of element_bytes lie at offset */
	FIELD_DYNAMIC,          /* __data_loc: the word at offset has the position of the bytes in the record */
	FIELD_DYNAMIC_RELATIVE, /* __rel_loc: the same, counted from after the word */
};

#define FIELD_DYNAMIC_BYTES 4 /* of the word at a dynamic field */

struct tracepoint_field {
	const char *name, *type; /* type as the kernel writes it, without __data_loc: "unsigned long", "char[]" */
	uint32_t offset, bytes;
	enum field_kind kind;
	bool is_signed;
	bool is_string;          /* an array of char */
	bool is_pointer;
	bool is_long;            /* its type contains "long": perf lists such fields in hex */
	uint32_t element_bytes;  /* of arrays: 1, 2, 4 or 8; 1 if the type is unknown */
};

struct print_program;

struct tracepoint {
	uint32_t id;
	const char *system, *name;
	const struct tracepoint_field *fields; /* the common ones first */
	uint32_t fields_nr, common_nr;
	const char *print_fmt;
	const struct print_program *program;   /* NULL: only the kernel can evaluate the print format */
};

struct tracepoints;

/* swapped: the recording has the other byte order. long_bytes: of the recorded machine, 4 or 8. */
struct tracepoints *tracepoints_create(bool swapped, unsigned long_bytes);
void tracepoints_destroy(struct tracepoints *t);
/* Reads env's TRACING_DATA. An empty set if there is none. On error *ret has the valid formats. */
struct strobe_error *tracepoints_read(const struct env *env, struct tracepoints **ret) _must_check_;
/* The same, but returns the valid formats and logs an error. */
struct tracepoints *tracepoints_read_whole(const struct env *env);
/*
 * Adds a reader for each event of a recording from `known` on. In a stream, formats and events are known when the first sample is
 * read: call this again whenever there may be more. Reads the formats into *t if that is not done yet.
 */
struct strobe_error *tracepoints_learn_events(struct tracepoints **t, const struct env *env, size_t known,
					      void (*add)(void *ctx, const struct env_event *e), void *ctx) _must_check_;
/* Adds one format file's text. Of two with the same id the first is kept. */
struct strobe_error *tracepoints_add(struct tracepoints *t, const char *system, const char *text,
				     size_t bytes) _must_check_;

const struct tracepoint *tracepoints_by_id(const struct tracepoints *t, uint32_t id);
/* The tracepoint of an event of the recording; NULL: not a tracepoint, or its format is missing. */
const struct tracepoint *tracepoints_of_event(const struct tracepoints *t, const struct env_event *e);
const struct tracepoint *tracepoints_by_name(const struct tracepoints *t, const char *system, const char *name);
/* Page size of the recorded machine; 0: unknown. */
uint32_t tracepoints_page_bytes(const struct tracepoints *t);
size_t tracepoints_count(const struct tracepoints *t);
const struct tracepoint *tracepoints_at(const struct tracepoints *t, size_t i);
/* NULL if it has no such field. */
const struct tracepoint_field *tracepoint_field(const struct tracepoint *tp, const char *name);

/* The number in a field; the first element of an array. Sign-extended if the field is signed; 0 past the sample's end. */
uint64_t field_number(const struct tracepoints *t, const struct tracepoint_field *f, const void *raw, uint32_t raw_bytes);
/* Words at a dynamic field: an array of strings of a probe ("__data_loc char[][2]") has several, other fields 1. */
uint32_t field_dynamic_nr(const struct tracepoint_field *f);
/* One of them, as a field of its own. */
struct tracepoint_field field_dynamic(const struct tracepoint_field *f, uint32_t i);
/* The bytes of a field (of a dynamic one: those that its first word points at), limited to the sample. */
struct field_span {
	const uint8_t *data;
	uint32_t bytes;
};
struct field_span field_bytes(const struct tracepoints *t, const struct tracepoint_field *f, const void *raw,
			      uint32_t raw_bytes);
/* The i-th element of an array whose bytes are these; 0 past their end. */
uint64_t field_element(const struct tracepoints *t, const struct tracepoint_field *f, struct field_span bytes, uint32_t i);
/* Prints a field as perf lists it. */
void field_text(struct out *out, const struct tracepoints *t, const struct tracepoint_field *f, const void *raw,
		uint32_t raw_bytes);

/* The string of a field; an array of them for several. */
void field_json_strings(struct json *j, const struct tracepoints *t, const struct tracepoint_field *f, const void *raw,
			uint32_t raw_bytes);

/* All fields but the common ones, as perf lists them: " name=value" for each. */
void fields_text(struct out *out, const struct tracepoints *t, const struct tracepoint *tp, const void *raw,
		 uint32_t raw_bytes);

/* Names of functions for %pS. NULL: addresses are printed. */
struct trace_names {
	/* The kernel function that contains addr, its name borrowed until the next call; NULL: none. */
	const char *(*symbol)(void *ctx, uint64_t addr, uint64_t *ret_offset);
	void *ctx;
};

/*
 * Prints the sample as the kernel's trace file does (without task, CPU and time). If the format cannot be evaluated: "[FAILED TO
 * PARSE]" and all fields, as perf does.
 */
void trace_text(struct out *out, const struct tracepoints *t, const struct tracepoint *tp, const void *raw,
		uint32_t raw_bytes, const struct trace_names *names);
