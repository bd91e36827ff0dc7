/*
 * Frames of interpreters in call chains: which processes run one, for the BPF program; which code objects there are, and the address
 * that stands for a place in one (interp/script_table.h); frames and code that the program sent, put where they belong in a stack.
 *
 * A thread answers the program's requests, and loads the programs of interpreters that there are. Any threads may call the other functions.
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

/* Of one CPU: what came last, until the stack that it belongs to comes. */
struct script_pending {
	uint32_t tid, nr;
	bool is_cut;
	uint64_t mm;
	struct script_frame frames[SCRIPT_FRAMES_MAX];
};

/* Takes a message of the program; false where it is of another kind. */
bool scripts_take(struct scripts *s, const struct sample *message, struct script_pending *p);
/*
 * Puts the frames that wait into a stack of this thread, each after the call of the evaluation loop that runs it: ips has nr addresses
 * of at most max, innermost first. Returns how many there are then; *cut is set where some had no room.
 */
size_t scripts_merge(struct scripts *s, struct script_pending *p, uint32_t tid, uint64_t *ips, size_t nr, size_t max, bool *cut);
/* Writes the MMAP2 record that a sample with such addresses needs before it: the first one of its address space in a ring. 0: none. */
size_t scripts_map_record(struct scripts *s, uint64_t mm, uint32_t ring, const struct sample_layout *layout, const struct sample_tail *tail,
			  void *to, size_t cap);
/* Another file begins: it needs records of its own. */
void scripts_begin_file(struct scripts *s);
/* All code that chains have, as a section of a recording; false where there is none. */
bool scripts_write(struct scripts *s, struct strbuf *to);
/* The same of the code in a message alone; false where the message has none. */
bool scripts_write_one(struct scripts *s, const struct sample *message, struct strbuf *to);
/* "python3.15 (pid 7)": a program whose version is not known; once each; NULL: none. Owned. */
char *scripts_unknown(struct scripts *s);
