/*
 * What stack_unwinder.c (programs, maps, processes) and chain_sink.c (records) share.
 */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "base/u64map.h"
#include "bpf/load/ring.h"
#include "bpf/unwind/stack_unwinder.h"
#include "bpf/unwind/unwind_maps.h"
#include "record/sample.h"
#include "unwind/walk.h"

/* A stack that waits for its sample. */
struct waiting_stack {
	uint32_t pid, tid;
	uint16_t nr;
	bool cut;
	uint64_t ips[UNWIND_FRAMES_MAX];
};

/* A sample may be interrupted by another between its stack and itself. */
#define WAITING_MAX 4

struct cpu_stacks {
	/* Of the copy that comes next. */
	uint32_t more_tid, more_bytes;
	uint8_t memory[UNWIND_COPY_BYTES + UNWIND_MORE_BYTES];
	unsigned nr;
	struct waiting_stack stacks[WAITING_MAX];
};

/* What an id in a record stands for. */
struct stack_stream {
	uint32_t cpu; /* index in cpus */
	bool carries; /* stacks; else samples */
	bool walked;  /* samples whose stacks are walked */
	const struct sample_layout *layout;
	uint32_t max; /* addresses in a chain */
};

/* A file that some process has mapped, in the maps of the program. */
struct known_file {
	bool made, has_table;
	struct object *object; /* NULL: without rules, or it could not be opened */
	struct unwind_maps_table table;
};

struct stack_unwinder {
	struct stack_unwinder_options options;
	struct bpf_loaded *loaded;
	struct unwind_maps *maps;
	VEC(int) outputs; /* fds of the events that stacks are written through */
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
	struct bpf_ring requests;
	VEC(struct known_file) files; /* by mapped_file id */
	struct u64map by_table;       /* an unwind_file → id + 1 of the first file that has it */
	bool is_full;

	_Atomic uint64_t stacks, cut, deep, copied, records;
};

/*
 * Goes on from a copy (its bytes are of memory, not its own); the frames that the program found come first. ret has pid
 * and tid.
 */
void stack_unwinder_finish(struct stack_unwinder *u, const struct unwind_copy *copy, const uint8_t *memory, uint64_t time_ns,
			   struct waiting_stack *ret);
/* The thread. */
void *stack_unwinder_serve(void *arg);
struct strobe_error *stack_unwinder_map_requests(struct stack_unwinder *u) _must_check_;
