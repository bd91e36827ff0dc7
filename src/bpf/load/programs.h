/*
 * The programs that were built with clang (*.bpf.c) and linked when strobe was built (bpf/load/image.h), loaded into the kernel.
 *
 * The verifier's messages go to the log (LOG_DEBUG). A build without clang or libbpf's headers has no programs, and bpf_load() returns
 * an error. Requires Linux 5.17, which applies CO-RE relocations itself, and /sys/kernel/btf/vmlinux.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "bpf/load/image.h"
#include "bpf/load/probes.h"
#include "sys/sys.h"

struct bpf_loaded; /* an image: its maps, programs and links */

/* Why programs built with clang cannot be used, as the end of a sentence without a full stop, or NULL. */
const char *bpf_image_missing(void);

struct bpf_map_size {
	const char *name;
	uint32_t entries;
	uint32_t value_bytes; /* 0: as in the program */
};

/* An existing map, which the programs use in place of their own. */
struct bpf_map_given {
	const char *name; /* NULL: none */
	int fd;           /* borrowed */
};

struct bpf_load_options {
	const struct sys *sys;
	const struct bpf_image *image;
	const void *settings; /* for the map .rodata, of exactly its size */
	size_t settings_bytes;
	const struct bpf_map_size *sizes; /* ends with a NULL name */
	struct bpf_map_given given;
	const char *const *without; /* programs that are not loaded, NULL-terminated; may be NULL */
	const char *const *later;   /* programs that bpf_attach() leaves to bpf_attach_program(); likewise */
};

/* Creates maps and loads programs, without attaching them. Long programs may still be loading in threads of their own on return. */
struct strobe_error *bpf_load(const struct bpf_load_options *o, struct bpf_loaded **ret) _must_check_;
/* Waits for such programs, and returns the first error. Required before bpf_program_of(); functions that attach do it themselves. */
struct strobe_error *bpf_ready(struct bpf_loaded *b) _must_check_;
/* Loads one that was left out, and returns as bpf_program_of() does from then on. By one thread at a time. */
struct strobe_error *bpf_load_program(struct bpf_loaded *b, const char *name) _must_check_;
/*
 * Attaches all programs of raw tracepoints but those left out, in the order of the image: the first ones may run some milliseconds
 * before a long one after them has been loaded. They are detached with the object, and in any case when this process ends.
 */
struct strobe_error *bpf_attach(struct bpf_loaded *b) _must_check_;
/* One of those that were left for later: to the raw tracepoint of its section, to another one, or to one more tracepoint. */
struct strobe_error *bpf_attach_program(struct bpf_loaded *b, const char *program) _must_check_;
struct strobe_error *bpf_attach_raw(struct bpf_loaded *b, const char *program, const char *tracepoint) _must_check_;
struct strobe_error *bpf_attach_tracepoint(struct bpf_loaded *b, const char *program, const char *category,
					   const char *tracepoint) _must_check_;
/* A program of probes, at these places. */
struct strobe_error *bpf_attach_probes(struct bpf_loaded *b, const char *program, const struct bpf_probe_places *places) _must_check_;
void bpf_detach(struct bpf_loaded *b);
/* Only the programs of probes. */
void bpf_detach_probes(struct bpf_loaded *b);
/* Stores at most max descriptors of links, which are borrowed; returns their number. */
size_t bpf_link_fds(const struct bpf_loaded *b, int *ret, size_t max);
void bpf_unload(struct bpf_loaded *b);
/* The descriptor of a map, borrowed; -1: unknown name. */
int bpf_map_of(const struct bpf_loaded *b, const char *name);
/* The descriptor of a program, borrowed; -1: unknown name, or not loaded. */
int bpf_program_of(const struct bpf_loaded *b, const char *name);
/* The memory of a map that can be mapped (BPF_F_MMAPABLE, .bss); unmapped by bpf_unload(). */
struct strobe_error *bpf_map_memory(struct bpf_loaded *b, const char *name, size_t bytes, void **ret) _must_check_;
/* The number of runs of programs that the kernel skipped, because one was running on that CPU already. */
uint64_t bpf_runs_missed(const struct bpf_loaded *b);
