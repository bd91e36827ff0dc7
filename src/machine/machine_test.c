#include "base/testing.h"

#include <stdio.h>

#include "machine/machine.h"
#include "machine/record_builder.h"

#define USER   PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL

struct fixture {
	struct env env;
	struct machine *m;
	struct record_builder b;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	f->m = machine_create(&f->env);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	machine_destroy(f->m);
	vec_deinit(&f->b.bytes);
	vec_deinit(&f->env.build_ids);
	free(f);
	return 0;
}

static void comm(struct fixture *f, uint64_t t, uint32_t pid, uint32_t tid, const char *name, bool exec)
{
	machine_apply(f->m, build_comm(&f->b, pid, tid, name, exec), t);
}

static void fork_of(struct fixture *f, uint64_t t, uint32_t pid, uint32_t ppid)
{
	machine_apply(f->m, build_task(&f->b, PERF_RECORD_FORK, pid, ppid, pid, ppid, t), t);
}

static void map_file(struct fixture *f, uint64_t t, uint32_t pid, uint64_t start, uint64_t end, uint64_t pgoff, const char *name)
{
	machine_apply(f->m, build_mmap2(&f->b, USER, pid, pid, start, end - start, pgoff, strlen(name), name), t);
}

static const char *comm_at(struct fixture *f, uint32_t pid, uint32_t tid, uint64_t t)
{
	struct machine_view v = machine_view(f->m, pid, tid, t);
	const char *by_view = strtab_get(machine_strings(f->m), v.comm);
	const struct thread *thread = machine_thread(f->m, pid, tid, t);
	assert_string_equal(strtab_get(machine_strings(f->m), machine_comm(f->m, thread, t)), by_view);
	assert_true(v.from_ns <= t && t < v.until_ns);
	return by_view;
}

/* The path mapped at ip, "-": nothing; looked up in both ways. */
static const char *file_at(struct fixture *f, uint32_t pid, uint64_t ip, uint64_t t)
{
	const struct thread *thread = machine_thread(f->m, pid, pid, t);
	const struct map *map = machine_map(f->m, thread, USER, ip, t);
	struct machine_view v = machine_view(f->m, pid, pid, t);
	assert_ptr_equal(machine_space_map(f->m, v.space, USER, ip), map);
	return map ? map->file->path : "-";
}

static const char *program_of(struct fixture *f, uint32_t pid, uint64_t time_ns)
{
	struct machine_view v = machine_view(f->m, pid, pid, time_ns);
	const struct map *map = machine_space_program(f->m, v.space);
	return map ? map->file->path : "-";
}

static void the_program_is_that_of_the_last_exec(void **state)
{
	struct fixture *f = *state;
	comm(f, 0, 10, 10, "sh", false);
	map_file(f, 0, 10, 0x1000, 0x2000, 0, "/bin/sh");
	map_file(f, 0, 10, 0x9000, 0xa000, 0, "/lib/libc.so.6");
	comm(f, 100, 10, 10, "ls", true);
	map_file(f, 110, 10, 0x5000, 0x6000, 0, "/bin/ls");
	map_file(f, 111, 10, 0x8000, 0x9000, 0, "/lib/ld.so");
	fork_of(f, 120, 11, 10);
	map_file(f, 130, 11, 0x7000, 0x7800, 0, "/lib/own.so");
	assert_string_equal(program_of(f, 10, 50), "/bin/sh");
	assert_string_equal(program_of(f, 10, 120), "/bin/ls");
	assert_string_equal(program_of(f, 11, 140), "/bin/ls");
	assert_string_equal(program_of(f, 99, 140), "-");
}

static void exec_covers_the_old_maps_with_the_new(void **state)
{
	struct fixture *f = *state;
	comm(f, 0, 10, 10, "sh", false);
	map_file(f, 0, 10, 0x1000, 0x2000, 0, "/bin/sh");
	comm(f, 100, 10, 10, "ls", true);
	map_file(f, 110, 10, 0x8000, 0x9000, 0, "/bin/ls");
	assert_string_equal(comm_at(f, 10, 10, 50), "sh");
	assert_string_equal(comm_at(f, 10, 10, 100), "ls");
	assert_string_equal(file_at(f, 10, 0x1800, 99), "/bin/sh");
	assert_string_equal(file_at(f, 10, 0x1800, 100), "/bin/sh"); /* the call to execve itself */
	assert_string_equal(file_at(f, 10, 0x8800, 105), "-");
	assert_string_equal(file_at(f, 10, 0x8800, 110), "/bin/ls");
	map_file(f, 120, 10, 0x1000, 0x2000, 0, "/lib/libc.so");
	assert_string_equal(file_at(f, 10, 0x1800, 119), "/bin/sh");
	assert_string_equal(file_at(f, 10, 0x1800, 120), "/lib/libc.so");
}

static void a_child_has_its_parents_maps_until_either_changes(void **state)
{
	struct fixture *f = *state;
	comm(f, 0, 10, 10, "sh", false);
	map_file(f, 0, 10, 0x1000, 0x2000, 0, "/bin/sh");
	fork_of(f, 100, 11, 10);
	map_file(f, 150, 10, 0x3000, 0x4000, 0, "/lib/parent.so");
	map_file(f, 160, 11, 0x3000, 0x4000, 0, "/lib/child.so");
	assert_string_equal(comm_at(f, 11, 11, 101), "sh");
	assert_string_equal(file_at(f, 11, 0x1000, 101), "/bin/sh");
	assert_string_equal(file_at(f, 11, 0x3000, 155), "-");
	assert_string_equal(file_at(f, 11, 0x3000, 165), "/lib/child.so");
	assert_string_equal(file_at(f, 10, 0x3000, 165), "/lib/parent.so");
	/* While they are equal they share one space, so that an address is resolved once. */
	uint64_t until;
	const struct thread *parent = machine_thread(f->m, 10, 10, 120), *child = machine_thread(f->m, 11, 11, 120);
	uint32_t space = machine_space(f->m, parent, 120, &until);
	assert_int_equal(until, 150);
	assert_int_equal(machine_space(f->m, child, 120, &until), space);
	assert_int_equal(until, 160);
	assert_int_not_equal(machine_space(f->m, parent, 170, &until), machine_space(f->m, child, 170, &until));
	assert_int_equal(child->ppid, 10);
}

static void a_thread_shares_its_process(void **state)
{
	struct fixture *f = *state;
	comm(f, 0, 10, 10, "srv", false);
	machine_apply(f->m, build_task(&f->b, PERF_RECORD_FORK, 10, 10, 12, 10, 50), 50);
	map_file(f, 60, 10, 0x1000, 0x2000, 0, "/lib/late.so");
	assert_string_equal(comm_at(f, 10, 12, 55), "srv");
	const struct thread *t = machine_thread(f->m, 10, 12, 70);
	assert_ptr_equal(t->process, machine_thread(f->m, 10, 10, 70)->process);
	assert_non_null(machine_map(f->m, t, USER, 0x1000, 70));
	assert_null(machine_map(f->m, t, USER, 0x1000, 59));
}

static void a_pid_used_again_is_another_process(void **state)
{
	struct fixture *f = *state;
	comm(f, 0, 1, 1, "init", false);
	fork_of(f, 100, 20, 1);
	comm(f, 110, 20, 20, "first", true);
	map_file(f, 111, 20, 0x1000, 0x2000, 0, "/bin/first");
	machine_apply(f->m, build_task(&f->b, PERF_RECORD_EXIT, 20, 1, 20, 1, 200), 200);
	fork_of(f, 300, 20, 1);
	comm(f, 310, 20, 20, "second", true);
	assert_string_equal(comm_at(f, 20, 20, 150), "first");
	assert_string_equal(comm_at(f, 20, 20, 250), "first"); /* a sample during its exit */
	assert_string_equal(comm_at(f, 20, 20, 305), "init");
	assert_string_equal(comm_at(f, 20, 20, 315), "second");
	assert_string_equal(file_at(f, 20, 0x1000, 150), "/bin/first");
	assert_string_equal(file_at(f, 20, 0x1000, 305), "-");
	assert_ptr_not_equal(machine_thread(f->m, 20, 20, 150), machine_thread(f->m, 20, 20, 315));
	assert_int_equal(machine_thread(f->m, 20, 20, 150)->end_ns, 200);
	/* Before it was started the pid was unused. */
	assert_string_equal(comm_at(f, 20, 20, 50), ":20");
}

static void an_overlapping_map_cuts_the_older_ones(void **state)
{
	struct fixture *f = *state;
	map_file(f, 0, 10, 0x10000, 0x20000, 0x5000, "/a");
	map_file(f, 100, 10, 0x14000, 0x18000, 0, "/b");
	assert_string_equal(file_at(f, 10, 0x14000, 99), "/a");
	assert_string_equal(file_at(f, 10, 0x13fff, 100), "/a");
	assert_string_equal(file_at(f, 10, 0x14000, 100), "/b");
	assert_string_equal(file_at(f, 10, 0x17fff, 100), "/b");
	assert_string_equal(file_at(f, 10, 0x18000, 100), "/a");
	const struct thread *t = machine_thread(f->m, 10, 10, 100);
	assert_int_equal(machine_map(f->m, t, USER, 0x18000, 100)->pgoff, 0x5000 + 0x8000);
	uint64_t until;
	uint32_t before = machine_space(f->m, t, 99, &until);
	assert_int_equal(until, 100);
	assert_int_not_equal(before, machine_space(f->m, t, 100, &until));
	assert_int_equal(until, UINT64_MAX);
}

static void records_out_of_order_are_sorted(void **state)
{
	struct fixture *f = *state;
	map_file(f, 300, 10, 0x1000, 0x2000, 0, "/new");
	map_file(f, 100, 10, 0x1000, 0x2000, 0, "/old");
	comm(f, 50, 10, 10, "first", true);
	comm(f, 0, 10, 10, "zero", false);
	machine_seal(f->m);
	assert_string_equal(file_at(f, 10, 0x1000, 99), "-");
	assert_string_equal(file_at(f, 10, 0x1000, 200), "/old");
	assert_string_equal(file_at(f, 10, 0x1000, 300), "/new");
	assert_string_equal(comm_at(f, 10, 10, 10), "zero");
}

static void feeding_one_by_one_gives_the_same(void **state)
{
	struct fixture *f = *state;
	assert_string_equal(comm_at(f, 10, 10, 1), ":10");
	uint64_t g = machine_generation(f->m);
	comm(f, 5, 10, 10, "late", false);
	assert_int_not_equal(machine_generation(f->m), g);
	assert_string_equal(comm_at(f, 10, 10, 6), "late");
	map_file(f, 7, 10, 0x1000, 0x2000, 0, "/a");
	assert_string_equal(file_at(f, 10, 0x1000, 7), "/a");
	map_file(f, 8, 10, 0x1000, 0x2000, 0, "/b");
	assert_string_equal(file_at(f, 10, 0x1000, 7), "/a");
	assert_string_equal(file_at(f, 10, 0x1000, 8), "/b");
}

static void kinds_and_names_of_what_is_mapped(void **state)
{
	static const struct {
		const char *recorded, *path, *name, *backing;
		enum mapped_kind kind;
	} cases[] = {
		{ "/usr/lib/libc.so.6", "/usr/lib/libc.so.6", "libc.so.6", "file", MAPPED_FILE },
		{ "/dev/shm/x", "/dev/shm/x", "x", "shared", MAPPED_FILE },
		{ "//anon", "/tmp/perf-10.map", "[JIT] tid 10", "anonymous", MAPPED_ANON },
		{ "[heap]", "/tmp/perf-10.map", "[JIT] tid 10", "anonymous", MAPPED_ANON },
		{ "[stack]", "/tmp/perf-10.map", "[JIT] tid 10", "anonymous", MAPPED_ANON },
		{ "/dev/zero (deleted)", "/tmp/perf-10.map", "[JIT] tid 10", "anonymous", MAPPED_ANON },
		{ "/memfd:doublemapper (deleted)", "/memfd:doublemapper (deleted)", "memfd:doublemapper (deleted)", "anonymous",
		  MAPPED_ANON },
		{ "[vdso]", "[vdso32]", "[vdso32]", "kernel", MAPPED_VDSO }, /* below 4 GB */
		{ "[vsyscall]", "[vsyscall]", "[vsyscall]", "kernel", MAPPED_VSYSCALL },
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		map_file(f, 0, 10, 0x1000 * (i + 1), 0x1000 * (i + 2), 0, cases[i].recorded);
		const struct map *map = machine_map(f->m, machine_thread(f->m, 10, 10, 0), USER, 0x1000 * (i + 1), 0);
		assert_int_equal(map->file->kind, cases[i].kind);
		assert_string_equal(map->file->path, cases[i].path);
		assert_string_equal(map->file->name, cases[i].name);
		assert_string_equal(map_backing(map), cases[i].backing);
	}
	assert_string_equal(map_backing(NULL), "[unknown]");
	map_file(f, 0, 10, 0x7ffff0000000, 0x7ffff0002000, 0, "[vdso]");
	assert_string_equal(file_at(f, 10, 0x7ffff0000000, 0), "[vdso]");
}

static const struct map *kernel_map(struct fixture *f, uint64_t ip, uint64_t t)
{
	return machine_map(f->m, machine_thread(f->m, 0, 0, t), KERNEL, ip, t);
}

static void the_kernel_its_modules_and_its_symbols(void **state)
{
	struct fixture *f = *state;
	/* The kernel of an old recorder has no end, so that modules are inside of it; its record follows that of a module. */
	machine_apply(f->m, build_mmap(&f->b, KERNEL, UINT32_MAX, 0xffffffffc0100000, 0x1000, 0, "/lib/modules/6/crc-t10.ko.xz"), 0);
	machine_apply(f->m, build_mmap(&f->b, KERNEL, UINT32_MAX, 0xffffffff81000000, 0, 0xffffffff81000000, "[kernel.kallsyms]_text"), 0);
	machine_apply(f->m, build_mmap(&f->b, KERNEL, UINT32_MAX, 0xffffffffc0200000, 0x1000, 0, "[nf_tables]"), 0);
	machine_apply(f->m, build_ksymbol(&f->b, 0xffffffffc0300000, 0x80, 1, 0, "bpf_prog_1_x"), 50);
	machine_apply(f->m, build_ksymbol(&f->b, 0xffffffffc0300000, 0x80, 1, 1, "bpf_prog_1_x"), 90);
	const struct map *text = kernel_map(f, 0xffffffff81000010, 0);
	assert_string_equal(text->file->name, "[kernel.kallsyms]");
	assert_int_equal(text->file->kind, MAPPED_KERNEL);
	assert_int_equal(text->pgoff, 0xffffffff81000000);
	assert_string_equal(kernel_map(f, 0xffffffffc0100000, 0)->file->name, "[crc_t10]");
	assert_string_equal(kernel_map(f, 0xffffffffc0200fff, 0)->file->name, "[nf_tables]");
	assert_int_equal(kernel_map(f, 0xffffffffc0201000, 0)->pgoff, 0xffffffff81000000);
	assert_string_equal(kernel_map(f, 0xffffffffc030007f, 50)->file->name, "bpf_prog_1_x");
	assert_int_equal(kernel_map(f, 0xffffffffc0300000, 50)->file->kind, MAPPED_BPF);
	assert_int_not_equal(kernel_map(f, 0xffffffffc0300000, 49)->file->kind, MAPPED_BPF);
	assert_null(kernel_map(f, 0xffffffffc0300000, 90));
	/* Kernel addresses are resolved alike in each space, and a change of the kernel changes the space. */
	uint64_t until;
	assert_int_equal(machine_view(f->m, 10, 10, 60).until_ns, 90);
	assert_int_not_equal(machine_space(f->m, machine_thread(f->m, 10, 10, 0), 0, &until),
			     machine_space(f->m, machine_thread(f->m, 10, 10, 0), 60, &until));
}

static void build_ids_go_to_the_files_of_their_paths(void **state)
{
	struct fixture *f = *state;
	map_file(f, 0, 10, 0x1000, 0x2000, 0, "/bin/ls");
	vec_push(&f->env.build_ids, ((struct env_build_id){ .pid = -1, .build_id = { 1, 2 }, .build_id_len = 20, .filename = "/bin/ls" }));
	vec_push(&f->env.build_ids, ((struct env_build_id){ .pid = -1, .build_id = { 7 }, .build_id_len = 20, .filename = "[vdso]" }));
	map_file(f, 0, 10, 0x7ffff0000000, 0x7ffff0002000, 0, "[vdso]");
	machine_seal(f->m);
	assert_int_equal(machine_files_count(f->m), 2);
	assert_int_equal(machine_file_at(f->m, 0)->build_id_len, 20);
	assert_int_equal(machine_file_at(f->m, 0)->build_id[1], 2);
	assert_int_equal(machine_file_at(f->m, 1)->build_id[0], 7);
}

static void one_file_for_one_path_and_inode(void **state)
{
	struct fixture *f = *state;
	map_file(f, 0, 10, 0x1000, 0x2000, 0, "/bin/ls");
	map_file(f, 0, 11, 0x5000, 0x6000, 0, "/bin/ls");
	machine_apply(f->m, build_mmap(&f->b, USER, 12, 0x1000, 0x1000, 0, "/bin/ls"), 0); /* without an inode */
	machine_apply(f->m, build_mmap2(&f->b, USER, 13, 13, 0x1000, 0x1000, 0, 999, "/bin/ls"), 0); /* replaced since */
	machine_seal(f->m);
	assert_int_equal(machine_files_count(f->m), 2);
}

static void threads_without_a_record(void **state)
{
	struct fixture *f = *state;
	map_file(f, 0, 10, 0x1000, 0x2000, 0, "/bin/srv");
	assert_string_equal(comm_at(f, 10, 10, 5), ":10");
	assert_string_equal(comm_at(f, 10, 77, 5), ":77");
	assert_string_equal(comm_at(f, UINT32_MAX, UINT32_MAX, 5), ":-1");
	assert_string_equal(comm_at(f, 0, 0, 5), "swapper");
	/* It still uses its process's maps. */
	assert_non_null(machine_map(f->m, machine_thread(f->m, 10, 77, 5), USER, 0x1000, 5));
	assert_ptr_equal(machine_thread(f->m, 10, 77, 5), machine_thread(f->m, 10, 77, 9));
}

static void the_first_name_holds_for_before(void **state)
{
	struct fixture *f = *state;
	comm(f, 100, 10, 10, "named", false);
	machine_seal(f->m);
	assert_string_equal(comm_at(f, 10, 10, 5), "named");
}

static bool count_map(void *ctx, const struct map *map)
{
	(*(size_t *)ctx)++;
	return true;
}

/* Each child inherits many maps; without sharing this would be a million copies. */
static void a_fork_storm_costs_no_copies(void **state)
{
	enum { MAPS = 500, CHILDREN = 20000 };
	struct fixture *f = *state;
	for (uint64_t i = 0; i < MAPS; i++)
		map_file(f, i, 1, 0x1000 * (2 * i + 1), 0x1000 * (2 * i + 2), 0, "/lib/many.so");
	for (uint32_t i = 0; i < CHILDREN; i++) {
		fork_of(f, 1000 + i, 1000 + i, i ? 999 + i : 1);
		if (i % 100 == 0)
			map_file(f, 1000 + i, 1000 + i, 0x1000, 0x1800, 0, "/lib/own.so");
		vec_clear(&f->b.bytes);
	}
	machine_seal(f->m);
	size_t maps = 0;
	const struct thread *last = machine_thread(f->m, 1000 + CHILDREN - 1, 1000 + CHILDREN - 1, UINT64_MAX);
	machine_each_map(f->m, last, UINT64_MAX, count_map, &maps);
	assert_int_equal(maps, MAPS + 1); /* the first was cut in two, and cut again at the same place */
	assert_string_equal(file_at(f, 1000 + CHILDREN - 1, 0x1000, UINT64_MAX), "/lib/own.so");
	assert_string_equal(file_at(f, 1000 + CHILDREN - 1, 0x1800, UINT64_MAX), "/lib/many.so");
}

static void namespaces_and_cgroups(void **state)
{
	struct fixture *f = *state;
	build_start(&f->b, PERF_RECORD_NAMESPACES, 0);
	build_u32s(&f->b, 10, 10);
	build_u64(&f->b, 2);
	for (uint64_t i = 1; i <= 4; i++)
		build_u64(&f->b, i);
	machine_apply(f->m, build_end(&f->b), 0);
	build_start(&f->b, PERF_RECORD_CGROUP, 0);
	build_u64(&f->b, 42);
	build_string(&f->b, "/user.slice");
	machine_apply(f->m, build_end(&f->b), 0);
	uint64_t dev, ino;
	const struct thread *t = machine_thread(f->m, 10, 10, 0);
	assert_true(machine_namespace(f->m, t, 1, &dev, &ino));
	assert_int_equal(dev, 3);
	assert_int_equal(ino, 4);
	assert_false(machine_namespace(f->m, t, 2, &dev, &ino));
	assert_string_equal(machine_cgroup(f->m, 42), "/user.slice");
	assert_null(machine_cgroup(f->m, 43));
}

#define PIDS 13

/* Two machines with the same records. */
struct twins {
	struct fixture *f;
	struct machine *remembers, *forgets;
	bool lives[PIDS], has_thread[PIDS];
};

static void feed(struct twins *w, struct record r, uint64_t t)
{
	machine_apply(w->remembers, r, t);
	machine_apply(w->forgets, r, t);
}

static void feed_end(struct twins *w, uint32_t i, uint32_t tid, uint64_t t)
{
	feed(w, build_task(&w->f->b, PERF_RECORD_EXIT, 10 + i, 1, tid, 1, t), t);
}

/* A random event of a simulated system. */
static void live_on(struct twins *w, uint64_t t, uint32_t r)
{
	uint32_t i = r % PIDS, pid = 10 + i, j = (r >> 8) % PIDS;
	struct record_builder *b = &w->f->b;
	char name[32];
	snprintf(name, sizeof(name), "/bin/f%u", (r >> 16) % 40 + (unsigned)(t / 2000));
	if (!w->lives[i]) {
		feed(w, build_task(b, PERF_RECORD_FORK, pid, w->lives[j] ? 10 + j : 1, pid, w->lives[j] ? 10 + j : 1, t), t);
		w->lives[i] = true;
		return;
	}
	switch ((r >> 4) % 8) {
	case 0:
		if (w->has_thread[i])
			feed_end(w, i, pid + 100, t);
		feed_end(w, i, pid, t);
		w->lives[i] = w->has_thread[i] = false;
		break;
	case 1:
		if (!w->has_thread[i])
			feed(w, build_task(b, PERF_RECORD_FORK, pid, pid, pid + 100, pid, t), t);
		w->has_thread[i] = true;
		break;
	case 2: feed(w, build_comm(b, pid, pid, name + 5, r >> 30), t); break;
	default:
		feed(w, build_mmap2(b, USER, pid, pid, 0x1000 * (1 + (r >> 12) % 8), 0x1000 * (1 + r % 2), 0,
				    strlen(name) + r % 3, name), t);
	}
}

static void same_answers(struct machine *a, struct machine *b, uint32_t pid, uint32_t tid, uint64_t t)
{
	struct machine_view x = machine_view(a, pid, tid, t), y = machine_view(b, pid, tid, t);
	/* A generated name means that no record mentions the thread, which is also the case if its end was forgotten. */
	if (x.thread->end_ns >= t) {
		assert_string_equal(strtab_get(machine_strings(a), x.comm), strtab_get(machine_strings(b), y.comm));
		assert_int_equal(x.thread->ppid, y.thread->ppid);
	}
	for (uint64_t ip = 0x1000; x.thread->end_ns >= t && ip < 0xb000; ip += 0x1000) {
		const struct map *m = machine_space_map(a, x.space, USER, ip), *n = machine_space_map(b, y.space, USER, ip);
		assert_int_equal(!m, !n);
		if (m) {
			assert_string_equal(m->file->path, n->file->path);
			assert_string_equal(m->file->name, n->file->name);
			assert_int_equal(m->start, n->start);
			assert_ptr_equal(machine_file_at(b, n->file->id), n->file);
		}
	}
}

static void who_forgets_answers_the_same(void **state)
{
	struct fixture *f = *state;
	struct twins w = { .f = f, .remembers = f->m, .forgets = machine_create(&f->env) };
	uint32_t r = 12345, mapped = 0;
	for (uint64_t t = 1; t <= 40000; t++) {
		r = r * 1664525 + 1013904223;
		live_on(&w, t, r ^ r >> 16);
		vec_clear(&f->b.bytes);
		if (t % 500 == 0)
			mapped = machine_forget_ended(w.forgets, t - 100, t % 2000 == 0);
		for (unsigned i = 0; t % 250 < 3 && i < PIDS; i++) {
			same_answers(w.remembers, w.forgets, 10 + i, 10 + i, t - t % 97);
			if (w.has_thread[i])
				same_answers(w.remembers, w.forgets, 10 + i, 110 + i, t);
		}
	}
	assert_true(machine_threads_count(w.remembers) > 3000);
	assert_in_range(machine_threads_count(w.forgets), 5, 100);
	assert_in_range(machine_files_count(w.forgets), mapped, 400);
	assert_true(machine_files_count(w.remembers) > 2 * machine_files_count(w.forgets));
	machine_destroy(w.forgets);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_program_is_that_of_the_last_exec),
		TEST(exec_covers_the_old_maps_with_the_new),
		TEST(a_child_has_its_parents_maps_until_either_changes),
		TEST(a_thread_shares_its_process),
		TEST(a_pid_used_again_is_another_process),
		TEST(an_overlapping_map_cuts_the_older_ones),
		TEST(records_out_of_order_are_sorted),
		TEST(feeding_one_by_one_gives_the_same),
		TEST(kinds_and_names_of_what_is_mapped),
		TEST(the_kernel_its_modules_and_its_symbols),
		TEST(build_ids_go_to_the_files_of_their_paths),
		TEST(one_file_for_one_path_and_inode),
		TEST(threads_without_a_record),
		TEST(the_first_name_holds_for_before),
		TEST(a_fork_storm_costs_no_copies),
		TEST(namespaces_and_cgroups),
		TEST(who_forgets_answers_the_same),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
