/* live_maps: records as a made-up kernel writes them into the rings of two CPUs. */
#include "base/testing.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/unwind/live_maps.h"
#include "sys/faked.h"

#define CPUS   2
#define PARENT 100
#define CHILD  200
#define CODE   0x10000

struct fixture {
	struct sys_faked *faked;
	struct live_maps *live;
	struct perf_event_mmap_page *rings[CPUS];
	size_t page;
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	f->faked = sys_faked_create();
	sys_faked_file(f->faked, "/sys/devices/system/cpu/online", "0-1\n");
	assert_ok(live_maps_open(sys_faked_sys(f->faked), (struct live_clock){}, &f->live));
	assert_int_equal(f->faked->opens.len, CPUS);
	f->page = (size_t)sysconf(_SC_PAGESIZE);
	for (int cpu = 0; cpu < CPUS; cpu++) {
		const struct sys_faked_open *o = &f->faked->opens.data[cpu];
		assert_int_equal(o->cpu, cpu);
		f->rings[cpu] = mmap(NULL, 2 * f->page, PROT_READ | PROT_WRITE, MAP_SHARED, o->fd, 0);
		assert_ptr_not_equal(f->rings[cpu], MAP_FAILED);
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;
	for (int cpu = 0; cpu < CPUS; cpu++)
		munmap(f->rings[cpu], 2 * f->page);
	live_maps_close(f->live);
	sys_faked_destroy(f->faked);
	free(f);
	return 0;
}

/* A record of the process: `words`, and the process and time at its end. */
static void put(struct fixture *f, int cpu, uint32_t type, uint16_t misc, uint32_t pid, uint64_t time_ns, const uint64_t *words, size_t n)
{
	struct perf_event_header h = { .type = type, .misc = misc, .size = (uint16_t)(8 * (n + 3)) };
	uint64_t tail[] = { pid | (uint64_t)pid << 32, time_ns };
	struct perf_event_mmap_page *ring = f->rings[cpu];
	char *to = (char *)ring + f->page + ring->data_head;
	assert_in_range(ring->data_head + h.size, 0, f->page);
	memcpy(to, &h, 8);
	memcpy(to + 8, words, 8 * n);
	memcpy(to + 8 + 8 * n, tail, sizeof(tail));
	ring->data_head += h.size;
}

/* Two fields of a record in one word, in the order of memory. */
static uint64_t both(uint32_t first, uint32_t second)
{
	uint64_t word;
	memcpy(&word, (const uint32_t[]){ first, second }, sizeof(word));
	return word;
}

static uint64_t text(const char *s)
{
	uint64_t word = 0;
	memcpy(&word, s, strlen(s));
	return word;
}

static void put_fork(struct fixture *f, int cpu, uint64_t time_ns, uint32_t parent, uint32_t child)
{
	put(f, cpu, PERF_RECORD_FORK, 0, parent, time_ns, (uint64_t[]){ both(child, parent), both(child, parent), time_ns }, 3);
}

static void put_exec(struct fixture *f, int cpu, uint64_t time_ns, uint32_t pid, const char *name)
{
	put(f, cpu, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, pid, time_ns, (uint64_t[]){ both(pid, pid), text(name) }, 2);
}

/* name: at most 7 bytes. */
static void put_code(struct fixture *f, int cpu, uint64_t time_ns, uint32_t pid, const char *name)
{
	const uint64_t device = both(8, 1), inode = 7, rights = both(PROT_READ | PROT_EXEC, MAP_PRIVATE);
	put(f, cpu, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, pid, time_ns,
	    (uint64_t[]){ both(pid, pid), CODE, 0x1000, 0, device, inode, 0, rights, text(name) }, 9);
}

static void put_end(struct fixture *f, int cpu, uint64_t time_ns, uint32_t pid)
{
	put(f, cpu, PERF_RECORD_EXIT, 0, pid, time_ns, (uint64_t[]){ both(pid, PARENT), both(pid, PARENT), time_ns }, 3);
}

/* What a stack of the process is walked by. */
static void expect_code(struct fixture *f, uint32_t pid, uint64_t time_ns, const char *name)
{
	assert_in_range(live_maps_complete(f->live, pid), 0, time_ns);
	struct machine *m = live_maps_machine(f->live);
	struct machine_view view = machine_view(m, pid, pid, time_ns);
	const struct map *map = machine_space_map(m, view.space, PERF_RECORD_MISC_USER, CODE);
	assert_non_null(map);
	assert_string_equal(map->file->path, name);
}

/*
 * The ring of CPU 0 is read first, and has the later records. Nothing is known of the parent; procfs has no mappings of the child any
 * more, which has ended and is waited for.
 */
static void forked_elsewhere(void **state)
{
	struct fixture *f = *state;
	sys_faked_file(f->faked, "/proc/200/stat", "200 (tool) Z 100 200 100 0 -1 4227084 0 0 0 0\n");
	sys_faked_file(f->faked, "/proc/200/maps", "");
	put_fork(f, 1, 10, PARENT, CHILD);
	put_exec(f, 0, 20, CHILD, "tool");
	put_code(f, 0, 21, CHILD, "/tool");
	put_end(f, 0, 40, CHILD);
	live_maps_drain(f->live);
	expect_code(f, CHILD, 30, "/tool");
}

/* Of a parent whose mappings are known, a child has them until it executes a program. */
static void inherited(void **state)
{
	struct fixture *f = *state;
	put_exec(f, 1, 5, PARENT, "shell");
	put_code(f, 1, 6, PARENT, "/shell");
	put_fork(f, 1, 10, PARENT, CHILD);
	put_exec(f, 0, 20, CHILD, "tool");
	put_code(f, 0, 21, CHILD, "/tool");
	live_maps_drain(f->live);
	expect_code(f, CHILD, 15, "/shell");
	expect_code(f, CHILD, 30, "/tool");
	expect_code(f, PARENT, 30, "/shell");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(forked_elsewhere, set_up, tear_down),
		cmocka_unit_test_setup_teardown(inherited, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
