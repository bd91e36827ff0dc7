/*
 * What stack_unwinder.c (programs, maps, processes) and chain_sink.c (records) share.
 */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "base/u64map.h"
#include "bpf/load/ring.h"
#include "bpf/unwind/chain_sink.h"
#include "bpf/unwind/scripts.h"
#include "bpf/unwind/stack_unwinder.h"
#include "bpf/unwind/unwind_maps.h"
#include "record/sample.h"
#include "unwind/walk.h"

/* A stack that waits for its sample. */
struct waiting_stack {
	uint32_t pid, tid;
	uint16_t nr;
	bool cut;
	uint64_t scripts_mm; /* it has frames of interpreters, of this address space; 0: none */
	uint64_t ips[UNWIND_FRAMES_MAX];
};

/* A sample may be interrupted by another between its stack and itself. */
#define WAITING_MAX 4

struct cpu_stacks {
	/* Of the copy that comes next. */
	uint32_t more_tid, more_bytes;
	uint8_t memory[UNWIND_COPY_BYTES + UNWIND_MORE_BYTES];
	struct script_pending scripts;
	/* Of an event of the CPU that is in the file: losses are recorded as its. NULL: there is none. */
	const struct sample_layout *layout;
	uint64_t id;
	uint32_t number; /* of the CPU */
	struct waiting_stack merged; /* with frames of interpreters, of a sample that has come whole */
	unsigned nr;
	struct waiting_stack stacks[WAITING_MAX];
};

/* What an id in a record stands for. */
struct stack_stream {
	uint32_t cpu; /* index in cpus */
	bool carries; /* stacks; else samples */
	bool walked;  /* samples whose stacks are walked */
	bool whole;   /* records of the program's that are such samples and their stacks in one */
	uint64_t id;  /* of the samples' own event, which these records do not have */
	const struct sample_layout *layout;
	uint32_t max; /* addresses in a chain */
};

/* A file that some process has mapped, in the maps of the program. */
struct known_file {
	bool made, has_table, has_interpreter;
	struct object *object; /* NULL: without rules, or it could not be opened */
	struct unwind_maps_table table;
};

/* What wait_samples.c keeps. Its lock: rings may be drained by several threads. */
struct wait_samples {
	pthread_mutex_t lock;
	const struct sample_layout *layout; /* of the event; NULL: waits are not recorded */
	uint32_t frames_max;
	uint64_t *ids;      /* of the event, by CPU index */
	const int *cpus;    /* their numbers; the capture's */
	struct u64map stacks;   /* by number of a wait: a struct waiting_stack that came before the wait's end */
	struct u64map messages; /* likewise: a struct wait_record that came before its stack */
	uint64_t last_ns;       /* the latest time in any ring */
	struct wait_control *control; /* of the program */
};

struct stack_unwinder {
	struct stack_unwinder_options options;
	struct bpf_loaded *loaded;
	struct unwind_maps *maps;
	struct scripts *scripts; /* or NULL */
	VEC(int) outputs; /* fds of the events that stacks are written through, also as whole samples */
	struct sample_layout output_layout;
	struct u64map ids; /* id → index in streams + 1 */
	VEC(struct stack_stream) streams;
	struct cpu_stacks *cpus;
	uint32_t cpus_nr;

	/* What processes have mapped, and the walker of copies. */
	pthread_mutex_t lock;
	struct live_maps *live;
	struct unwind_tables *tables;
	struct unwinder *unwinder;
	uint64_t generation;

	/* The thread that answers the program. */
	pthread_t thread;
	bool started;
	int stop_fd;
	_Atomic bool stopping; /* requests that are left are in vain */
	struct bpf_ring requests;
	VEC(struct known_file) files; /* by mapped_file id */
	struct u64map by_table;       /* an unwind_file → id + 1 of the first file that has it */
	bool is_full;

	struct wait_samples waits;
	_Atomic uint64_t stacks, cut, deep, copied, records, waits_at_end;
};

/*
 * Goes on from a copy (its bytes are of memory, not its own); the frames that the program found come first. ret has pid
 * and tid.
 */
void stack_unwinder_finish(struct stack_unwinder *u, const struct unwind_copy *copy, const uint8_t *memory, uint64_t time_ns,
			   struct waiting_stack *ret);
/* wait_samples.c: after the capture was opened; before the rest is destroyed. */
struct strobe_error *wait_samples_attach(struct stack_unwinder *u, struct capture *c) _must_check_;
void wait_samples_deinit(struct stack_unwinder *u);
/* The message of a wait's end, or the stack of one: what is whole is appended to `out` as a sample. */
void wait_samples_take(struct stack_unwinder *u, uint32_t cpu, const struct sample *carrier, byte_list *out);
void wait_samples_take_stack(struct stack_unwinder *u, uint64_t number, const struct waiting_stack *stack, byte_list *out);
/* The thread. */
void *stack_unwinder_serve(void *arg);
struct strobe_error *stack_unwinder_map_requests(struct stack_unwinder *u) _must_check_;
