/*
 * The machine's histories. Private to this room.
 *
 * Records wait in `pending` until the first look-up; then they are replayed in order of time, so that every history below is
 * appended to in order and searched by bisection. Nothing is freed before the end, except by machine_forget_ended(), which copies
 * the data to keep.
 */
#pragma once
#include <pthread.h>

#include "base/arena.h"
#include "base/idset.h"
#include "base/u64map.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "machine/maptree_priv.h"

/* A period in which maps were only added: all its states are one tree, searched for an earlier time. */
struct epoch {
	const struct map_node *root;
	uint32_t edition;
	uint64_t exec_ns; /* start of its program: older maps belong to the program before; 0: unknown */
};

/*
 * The content of an address space from a moment on. home is the version that created these maps: a child process that has not mapped
 * anything yet shares its parent's, so that their addresses are resolved once.
 */
struct space_version {
	uint64_t from_ns;
	struct epoch *epoch;
	uint32_t home_process, home_version;
	bool shared; /* it is the home of a child: must not be changed in place */
};

struct process {
	uint32_t index; /* in machine.processes */
	uint32_t pid;
	uint64_t start_ns;
	VEC(struct space_version) versions; /* by from_ns, never empty */
};

struct comm_version {
	uint64_t from_ns;
	str_id comm;
};

struct thread_history {
	struct thread pub; /* first: a returned const struct thread * is cast back */
	VEC(struct comm_version) comms;
	const struct perf_ns_link_info *namespaces;
	uint32_t namespaces_nr;
	bool made_up; /* no record mentions it */
	bool stays;   /* only for forget.c */
};

/* The successive owners of one pid or tid. */
struct process_line {
	VEC(struct process *) all;
};
struct thread_line {
	VEC(struct thread_history *) all;
};

/* A pair of user and kernel maps that was looked up, identified by a space ID. */
struct space {
	uint32_t process, version, kernel_version; /* the key */
	const struct epoch *user, *kernel;
	uint64_t user_ns, kernel_ns;
};

struct machine {
	const struct env *env;
	const char *kernel_name; /* NULL: from records */
	struct arena arena;
	struct strtab strings;
	struct maptree tree;
	uint32_t edition;
	uint64_t now_ns; /* time of the latest record applied */
	uint64_t generation;
	bool was_read;

	struct {
		struct arena arena; /* copies of records that do not stay valid */
		VEC(const struct perf_event_header *) records;
		VEC(uint64_t) times;
	} pending;

	struct arena files_arena;
	VEC(struct mapped_file *) files;
	struct idset files_by_id, files_by_path;
	VEC(str_id) file_paths; /* by file */
	struct u64map build_ids; /* path → index in env->build_ids, + 1 */
	size_t build_ids_seen;

	VEC(struct process *) processes;
	struct u64map process_lines, thread_lines; /* pid, tid → line */
	VEC(struct thread_history *) threads;
	struct process *kernel, *guest_kernel;
	struct u64map cgroups;

	/* Protects data created by look-ups. */
	pthread_mutex_t lock;
	VEC(struct thread_history *) made_up;
	struct idset made_up_index;
	VEC(struct space) spaces;
	struct idset space_index;
	struct process *nowhere; /* for threads whose process is unknown */
};

/* files.c */
struct mapped_file *files_find(struct machine *m, const struct record_mmap *r, bool kernel, bool guest);
struct mapped_file *files_find_ksymbol(struct machine *m, const struct record_ksymbol *r);
void files_take_build_ids(struct machine *m);
/* Adds a file of another machine that this one does not have. */
struct mapped_file *files_take_over(struct machine *m, const struct mapped_file *old);
void files_deinit(struct machine *m);

/* spaces.c */
struct process *process_create(struct machine *m, uint32_t pid, uint64_t start_ns, struct process *parent);
void process_exec(struct machine *m, struct process *p, uint64_t time_ns);
void process_add_map(struct machine *m, struct process *p, const struct map *map, uint64_t time_ns);
void process_remove_map(struct machine *m, struct process *p, uint64_t start, uint64_t end, uint64_t time_ns);
/* Index of the version at time_ns. */
uint32_t process_version(const struct process *p, uint64_t time_ns);
/* The process that had the pid at time_ns; NULL: unknown. ret_until (may be NULL): when that may change. */
struct process *process_at(const struct machine *m, uint32_t pid, uint64_t time_ns, uint64_t *ret_until);
/* The latest with this pid, created if there is none. */
struct process *process_latest(struct machine *m, uint32_t pid);
/* Makes a process the latest of its pid. */
void processes_add(struct machine *m, struct process *p);
void processes_deinit(struct machine *m);

/* threads.c */
struct thread_history *thread_at(const struct machine *m, uint32_t tid, uint64_t time_ns, uint64_t *ret_from, uint64_t *ret_until);
void threads_comm(struct machine *m, const struct record_comm *r, uint64_t time_ns);
void threads_fork(struct machine *m, const struct record_task *r, bool clone_maps, uint64_t time_ns);
void threads_exit(struct machine *m, const struct record_task *r, uint64_t time_ns);
void threads_namespaces(struct machine *m, const struct record_namespaces *r, uint64_t time_ns);
/* Adds a thread with this tid, as the latest; the caller must add its names and namespaces. */
struct thread_history *threads_copy(struct machine *m, const struct thread_history *old, struct process *process);
/* Adds the thread of a record if it is new, and returns its process. */
struct process *threads_process(struct machine *m, uint32_t pid, uint32_t tid, uint64_t time_ns);
void threads_add_idle(struct machine *m);
void threads_deinit(struct machine *m);
