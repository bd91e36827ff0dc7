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
	bool in_exec; /* UNWIND_WALK_EXEC */
	uint64_t scripts_mm; /* address space of frames of interpreters in it; 0: none */
	uint64_t ips[UNWIND_FRAMES_MAX];
};

/* A sample may be interrupted by another between its stack and itself. */
#define WAITING_MAX 4

struct cpu_stacks {
	/* For the next copy. */
	uint32_t more_tid, more_bytes;
	uint8_t memory[UNWIND_COPY_BYTES + UNWIND_MORE_BYTES];
	struct script_pending scripts;
	/* Of an event of the CPU that is in the file, for which losses are recorded; NULL: none. */
	const struct sample_layout *layout;
	uint64_t id;
	uint32_t number; /* of the CPU */
	struct waiting_stack merged; /* the stack of a sample that came with it, merged with frames of interpreters */
	unsigned nr;
	struct waiting_stack stacks[WAITING_MAX];
};

/* The meaning of an event ID in a record. */
struct stack_stream {
	uint32_t cpu; /* index in cpus */
	bool carries; /* records are stacks; else samples */
	bool walked;  /* samples with stacks to be walked */
	bool whole;   /* records that are such a sample and its stack in one */
	uint64_t id;  /* of the samples' own event, missing in these records */
	const struct sample_layout *layout;
	uint32_t max; /* addresses in a chain */
};

/* A file that some process has mapped, in the maps of the program. */
struct known_file {
	bool made, has_table, has_interpreter;
	struct object *object; /* NULL: without rules, or it could not be opened */
	struct unwind_maps_table table;
};

/* State of wait_samples.c. Has a lock since rings may be drained by several threads. */
struct wait_samples {
	pthread_mutex_t lock;
	const struct sample_layout *layout; /* of the event; NULL: waits are not recorded */
	uint32_t frames_max;
	uint64_t *ids;      /* of the event, by CPU index */
	const int *cpus;    /* their numbers; the capture's */
	struct u64map stacks;   /* by wait number: a struct waiting_stack that arrived before the end of the wait */
	struct u64map messages; /* likewise: a struct wait_record that arrived before its stack */
	uint64_t last_ns;       /* the latest time in any ring */
	uint64_t begun_ns;      /* waits that began later are recorded; 0: none yet */
	uint64_t ended_ns;      /* until then */
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

	/* Mappings of processes, and the unwinder for copies. */
	pthread_mutex_t lock;
	struct live_maps *live;
	struct unwind_tables *tables;
	struct unwinder *unwinder;
	uint64_t forgotten; /* live_maps_forgotten() at the last walk */
	VEC(const struct mapped_file *) missing; /* whose tables copies wait for */

	/* The thread that answers the program. */
	pthread_t thread;
	bool started;
	int stop_fd, missing_fd; /* eventfds */
	_Atomic bool stopping; /* remaining requests are dropped */
	_Atomic unsigned holders; /* sinks that hold copies: what is known of ended processes is kept */
	struct bpf_ring requests;
	VEC(struct known_file) files; /* by mapped_file id */
	struct u64map by_table;       /* an unwind_file → id + 1 of the first file that has it */
	bool is_full;

	struct wait_samples waits;
	_Atomic uint64_t stacks, cut, deep, in_exec, copied, records, waits_at_end;
};

/*
 * Continues the walk from a copy, after the frames that the program found. `bytes` of the copy counts `memory`. The caller
 * sets pid and tid in ret. Unless it waits, returns the file whose table is necessary and not made yet, which the thread then makes; else
 * NULL.
 */
const struct mapped_file *stack_unwinder_finish(struct stack_unwinder *u, const struct unwind_copy *copy, const uint8_t *memory,
						uint64_t time_ns, bool waits, struct waiting_stack *ret);
/* wait_samples.c: after the capture was opened; before the rest is destroyed. */
struct strobe_error *wait_samples_attach(struct stack_unwinder *u, struct capture *c) _must_check_;
void wait_samples_deinit(struct stack_unwinder *u);
/* Takes the message of the end of a wait, or its stack; once both are there, the sample is appended to `out`. */
void wait_samples_take(struct stack_unwinder *u, uint32_t cpu, const struct sample *carrier, byte_list *out);
void wait_samples_take_stack(struct stack_unwinder *u, uint64_t number, const struct waiting_stack *stack, byte_list *out);
/* The thread. */
void *stack_unwinder_serve(void *arg);
struct strobe_error *stack_unwinder_map_requests(struct stack_unwinder *u) _must_check_;
