/*
 * State of scripts.c; scripts_test.c fills it without a BPF program.
 */
#pragma once
#include <pthread.h>

#include "base/idset.h"
#include "base/strtab.h"
#include "base/u64map.h"
#include "bpf/load/ring.h"
#include "bpf/unwind/scripts.h"
#include "interp/interpreter.h"
#include "interp/script_table.h"
#include "interp/v8_lines.h"

struct script_range {
	uint64_t start, end;
};

/* An address space. Its number may be reused later, with another interpreter. */
struct script_space {
	uint64_t mm;
	uint32_t pid; /* the process that the program was answered for; 0: none yet */
	enum script_kind kind;
	struct python_layout python; /* if kind is SCRIPT_PYTHON, for strings */
	struct v8_layout v8;	     /* if kind is SCRIPT_V8, for sources */
	bool has_no_null;	     /* if kind is SCRIPT_HOTSPOT: see struct hotspot_layout */
	struct script_range loop[2]; /* addresses of the evaluation loop */
	uint64_t mapped_rings;       /* a MMAP2 record was written for those of CPUs with these numbers, modulo 64 */
};

/* A code object, shared by all processes that run it. */
struct script_known {
	uint32_t first_line;
	str_id name, file, lines; /* name 0: it has not been sent */
	uint32_t lines_form;
};

/* A code object in a process, as frames identify it. */
struct script_place {
	uint64_t mm, code;
	uint32_t stamp;
	uint32_t number; /* of codes; IDSET_NONE: none yet, or there are too many */
};

/* A source of V8, read once. */
struct script_source {
	uint64_t mm, string;
	uint32_t units;
	struct v8_line_ends ends; /* none: it could not be read */
};

#define SCRIPT_FILE_SEGMENTS 4

/* A file that processes with an interpreter have mapped. */
struct script_file {
	uint64_t ino;
	uint32_t maj, min;
	struct interpreter interpreter;
	struct object_segment segments[SCRIPT_FILE_SEGMENTS]; /* with code */
	unsigned segments_nr;
};

struct scripts {
	const struct sys *sys;
	struct bpf_loaded *loaded;
	bool has_program[SCRIPT_KINDS]; /* the thread's own, as are files */
	bool has_codes;                 /* the programs' map of code objects is there; likewise */
	int processes_fd, requests_fd, stop_fd;
	struct bpf_ring requests;
	pthread_t thread;
	bool is_serving, has_reported;

	VEC(struct script_file) files; /* the thread's own */

	pthread_mutex_t lock; /* of what follows */
	struct u64map by_mm;  /* → spaces */
	VEC(struct script_space) spaces;
	VEC(struct script_place) places;
	VEC(struct script_known) codes; /* by number */
	struct idset by_place, by_contents; /* of places; of codes that were sent */
	struct u64map by_message; /* a hash of what a message says → the number of its code, + 1 */
	struct strtab texts;
	struct u64map by_source; /* a hash of what identifies one → sources */
	VEC(struct script_source) sources;
	char *unknown;
};

/* Without a program and a thread. */
struct scripts *scripts_new(const struct sys *sys);
/* Returns an address space, which is added if new; under the lock. */
struct script_space *scripts_space(struct scripts *s, uint64_t mm);
/*
 * script_sources.c: the line ends of a source; under the lock. Read from the process or, if it has ended, from the file of that name if
 * its length in characters is the same. Valid until the next call.
 */
const struct v8_line_ends *scripts_line_ends(struct scripts *s, const struct script_space *space, uint32_t pid,
					     const struct script_code_message *m, const char *file);
/* Reads memory of a process, for struct interp_memory; ctx: its pid_t. */
bool scripts_read_process(void *ctx, uint64_t at, void *to, size_t n);
void scripts_sources_deinit(struct scripts *s);
/* The thread. */
void *scripts_serve(void *arg);
