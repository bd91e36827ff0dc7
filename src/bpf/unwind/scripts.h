/*
 * Frames of interpreters in call chains: finds processes that run an interpreter, for the BPF program; numbers code objects and the
 * addresses for places in them (interp/script_table.h); merges frames that the program sent into native stacks.
 *
 * A thread answers the program's requests and loads the programs of the interpreters found. The other functions may be called from any
 * thread.
 */
#pragma once
#include "base/error.h"
#include "base/strbuf.h"
#include "bpf/load/programs.h"
#include "bpf/unwind/script_shared.h"
#include "record/sample.h"
#include "sys/sys.h"

struct scripts;

struct strobe_error *scripts_create(const struct sys *sys, struct bpf_loaded *loaded, struct scripts **ret) _must_check_;
void scripts_destroy(struct scripts *s);

/* The last frames of one CPU, until their stack arrives. */
struct script_pending {
	uint32_t tid, nr;
	bool is_cut;
	uint64_t mm;
	struct script_frame frames[SCRIPT_FRAMES_MAX];
};

/* Handles a message of the program; false: not a message about scripts. */
bool scripts_take(struct scripts *s, const struct sample *message, struct script_pending *p);
/*
 * Merges pending frames into a stack of this thread, each after the call of the evaluation loop that runs it: ips has nr addresses,
 * innermost first, and room for max. Returns the new number; *cut is set if there was no room for some.
 */
size_t scripts_merge(struct scripts *s, struct script_pending *p, uint32_t tid, uint64_t *ips, size_t nr, size_t max, bool *cut);
/* Writes the MMAP2 record that must precede the first sample with such addresses of an address space in a ring; returns its size; 0: not
 * needed. */
size_t scripts_map_record(struct scripts *s, uint64_t mm, uint32_t ring, const struct sample_layout *layout, const struct sample_tail *tail,
			  void *to, size_t cap);
/* Another file begins: it needs records of its own. */
void scripts_begin_file(struct scripts *s);
/* All code in chains, as a section of a recording; false: none. */
bool scripts_write(struct scripts *s, struct strbuf *to);
/* The same for the code in one message; false: it has none. */
bool scripts_write_one(struct scripts *s, const struct sample *message, struct strbuf *to);
/* "python3.15 (pid 7)": an interpreter of unknown version; each is returned once; NULL: none. Owned. */
char *scripts_unknown(struct scripts *s);
