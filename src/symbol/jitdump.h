/*
 * A jitdump: a JIT compiler's file about its generated code, including the code.
 *
 * The file may still be growing, may end anywhere, and may be wrong: complete records are used, others are counted. Names and code stay
 * in the mapping, referred to by file offset; code that is loaded twice is there twice, so that an offset is unique. A function may be at
 * several addresses over time: each is a placement. Read-only once read. Source: tools/perf/Documentation/jitdump-specification.txt.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/filemap.h"
#include "base/vector.h"

struct jitdump_function {
	uint64_t offset, bytes; /* of its code in the file */
	uint64_t address;       /* address of its first load */
	uint64_t index;         /* the compiler's number for it */
	uint64_t time;
	uint32_t tid;
	size_t name;            /* offset of its name; it ends in a NUL inside the file */
	uint32_t first_line, lines_nr;
	uint64_t unwind_offset; /* of .eh_frame and what follows; 0 = none was given */
	uint64_t unwind_bytes, unwind_header_bytes; /* all of it; of .eh_frame_hdr at its end */
};

struct jitdump_placement { /* in the order of the file */
	uint64_t time; /* in the compiler's clock */
	uint64_t address;
	uint32_t function;
};

struct jitdump_line {
	uint64_t address; /* as at the time of the load */
	uint32_t line, discriminator;
	size_t file;      /* offset of its name, as above */
};

struct jitdump {
	struct filemap map; /* empty where the bytes are borrowed */
	const char *data;
	size_t bytes;
	bool swap;
	uint32_t pid, e_machine;
	uint64_t time;          /* when it was opened */
	bool arch_clock;        /* times are cycles */
	VEC(struct jitdump_function) functions;
	VEC(struct jitdump_placement) placements;
	VEC(struct jitdump_line) lines;
	uint64_t bad_records;   /* inconsistent records */
	bool cut;               /* it ends within a record, or was never closed */
};

/* ERROR_FORMAT: not a jitdump. The descriptor is borrowed. */
struct strobe_error *jitdump_open_fd(int fd, const char *name, struct jitdump **ret) _must_check_;
/* The same for bytes in memory, borrowed. */
struct strobe_error *jitdump_read(const void *p, size_t n, const char *name, struct jitdump **ret) _must_check_;
void jitdump_close(struct jitdump *j);

/* The function whose code is at an offset of the file, or NULL. */
const struct jitdump_function *jitdump_function_at(const struct jitdump *j, uint64_t offset);
/* The line of an address in a function; NULL: unknown. */
const struct jitdump_line *jitdump_line_at(const struct jitdump *j, const struct jitdump_function *f, uint64_t offset_in_function);
static inline const char *jitdump_text(const struct jitdump *j, size_t offset)
{
	return j->data + offset;
}
