/* sys, limits, tracefs, cpus, faked: the live machine compared with tools of the distribution, and fake systems. */
#include "base/testing.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys/cgroups.h"
#include "sys/cpus.h"
#include "sys/cpu_load.h"
#include "sys/faked.h"
#include "sys/limits.h"
#include "sys/process_files.h"
#include "sys/tracefs.h"

#ifdef __SANITIZE_THREAD__
#define FAULTS_MAX 400 /* ASan's shadow of the pages has faults, too */
#else
#define FAULTS_MAX 100
#endif

static void live_counts_page_faults(void **state)
{
	const struct sys *sys = sys_live();
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = PERF_ABI_ATTR_BYTES,
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.exclude_kernel = 1 };
	int fd = sys_perf_event_open(sys, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		print_message("# perf_event_open: errno %d\n", -fd);
		skip();
	}
	assert_int_equal(sys_ioctl(sys, fd, PERF_EVENT_IOC_RESET, 0), 0);
	size_t bytes = 64 * 4096;
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < bytes; i += 4096)
		((volatile char *)p)[i] = 1;
	uint64_t faults;
	assert_int_equal(read(fd, &faults, sizeof(faults)), sizeof(faults));
	assert_in_range(faults, 64, FAULTS_MAX);
	munmap(p, bytes);
	close(fd);
}

static void live_files_and_clocks(void **state)
{
	const struct sys *sys = sys_live();
	sys_cpus online = {};
	assert_ok(sys_cpus_online(sys, &online));
	assert_int_equal(online.len, sysconf(_SC_NPROCESSORS_ONLN));
	vec_deinit(&online);
	uint64_t a = sys_clock_ns(sys, CLOCK_MONOTONIC), b = sys_clock_ns(sys, CLOCK_MONOTONIC);
	assert_true(a && b >= a);
	struct sys_topology t;
	assert_ok(sys_topology_read(&t, sys));
	assert_int_equal(t.online_nr, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(t.cores.len >= 1 && t.cores.len <= t.online_nr);
	sys_topology_deinit(&t);
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	assert_int_equal(sys_mem_total_kb(sys), pages);
}

static void perf_abi_bits_lie_where_the_kernel_reads_them(void **state)
{
	struct perf_event_attr attr = {};
	uint64_t words[16];
	attr.sigtrap = 1; /* the last bit in the 6.1 header: 37 */
	memcpy(words, &attr, sizeof(words));
	assert_int_equal(words[5], perf_abi_attr_mask(37));
	perf_abi_attr_set(&attr, PERF_ABI_ATTR_DEFER_CALLCHAIN, true);
	assert_true(perf_abi_attr_get(&attr, PERF_ABI_ATTR_DEFER_CALLCHAIN));
	assert_true(attr.sigtrap && !perf_abi_attr_get(&attr, PERF_ABI_ATTR_DEFER_OUTPUT));
	perf_abi_attr_set_aux_action(&attr, PERF_ABI_AUX_PAUSE);
	assert_int_equal(perf_abi_attr_aux_action(&attr), 2);
	assert_int_equal(sizeof(struct procmap_query), 104);
}

static void procmap_query_finds_our_code(void **state)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char name[4096] = "";
	struct procmap_query q = {
		.size = sizeof(q),
		.query_addr = (uintptr_t)procmap_query_finds_our_code,
		.vma_name_size = sizeof(name),
		.vma_name_addr = (uintptr_t)name,
	};
	int r = sys_ioctl(sys_live(), fd, PROCMAP_QUERY, (uintptr_t)&q);
	close(fd);
	if (r == -ENOTTY || r == -ENOSYS) /* ENOSYS from emulators */
		skip();
	assert_int_equal(r, 0);
	assert_true(q.vma_start <= q.query_addr && q.query_addr < q.vma_end);
	assert_true(q.vma_flags & PROCMAP_QUERY_VMA_EXECUTABLE);
	char exe[4096] = "";
	assert_true(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
	assert_string_equal(name, exe);
}

static void faked_calls_are_kept_and_answered(void **state)
{
	struct sys_faked *f = sys_faked_create();
	const struct sys *sys = sys_faked_sys(f);
	sys_faked_answer(
		f, (struct sys_faked_answer){ .match = MATCH_TYPE, .type = PERF_TYPE_HARDWARE, .errnum = ENOENT });
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .size = PERF_ABI_ATTR_BYTES };
	assert_int_equal(sys_perf_event_open(sys, &attr, 5, 1, -1, 0), -ENOENT);
	attr.type = PERF_TYPE_RAW;
	int fd = sys_perf_event_open_wide(sys, &attr, 7, 9, 5, 1, -1, PERF_FLAG_FD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(f->opens.len, 2);
	assert_int_equal(f->opens.data[0].pid, 5);
	assert_int_equal(f->opens.data[1].attr.size, 144);
	assert_int_equal(f->opens.data[1].config3, 7);
	assert_int_equal(f->opens.data[1].config4, 9);
	uint64_t id;
	assert_int_equal(sys_ioctl(sys, fd, PERF_EVENT_IOC_ID, (uintptr_t)&id), 0);
	assert_int_equal(id, 1000 + fd);
	char *ring = sys_mmap(sys, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(ring != MAP_FAILED);
	ring[8191] = 1;
	assert_int_equal(sys_munmap(sys, ring, 8192), 0);
	close(fd);
	sys_faked_destroy(f);
}

static void load_is_what_passed_between_two_readings(void **state)
{
	struct sys_cpu_load live, from = { .user = 100, .system = 10, .idle = 1000 },
		to = { .user = 150, .nice = 10, .system = 30, .idle = 1010, .softirq = 5, .irq = 2, .iowait = 3, .cpus_nr = 2,
		       .averages = "1.25 0.80 0.40", .running = 3, .tasks = 312 };
	struct strbuf text = {};
	sys_cpu_load_text(&from, &to, &text);
	assert_string_equal(strbuf_str(&text), "2 CPUs: 60.0% user, 20.0% system, 7.0% interrupts, 3.0% I/O wait, 0.0% stolen, 10.0% idle; "
					       "load 1.25 0.80 0.40; 312 tasks, 3 running");
	strbuf_deinit(&text);
	assert_ok(sys_cpu_load(sys_live(), &live));
	assert_int_equal(live.cpus_nr, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(live.user + live.system > 0 && live.running >= 1 && live.tasks >= live.running);
}

static void limits_are_read_below_the_root(void **state)
{
	struct sys_faked *f = sys_faked_create();
	const struct sys *sys = sys_faked_sys(f);
	assert_int_equal(sys_perf_event_paranoid(sys), 2);
	sys_faked_file(f, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	assert_int_equal(sys_perf_event_paranoid(sys), -1);
	assert_false(sys_is_perfmon(sys));
	sys_faked_status(f, 1ull << CAP_PERFMON, 1000, 2);
	assert_true(sys_is_perfmon(sys) && !sys_has_cap(sys, CAP_SYS_ADMIN) && sys_has_seccomp(sys));
	sys_faked_file(f, "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	assert_int_equal(sys_lockdown(sys), SYS_LOCKDOWN_CONFIDENTIALITY);
	sys_faked_destroy(f);
}

static void tracefs_is_found_mounted_or_explained(void **state)
{
	struct sys_faked *f = sys_faked_create();
	const struct sys *sys = sys_faked_sys(f);
	char *path;
	assert_fails(sys_tracefs(sys, &path), ERROR_UNSUPPORTED);
	sys_faked_file(f, "/sys/kernel/tracing/x", "");
	f->mount_errnum = EPERM;
	struct strobe_error *err = sys_tracefs(sys, &path);
	assert_int_equal(err->code, ERROR_PERMISSION);
	assert_non_null(strstr(err->message, "mount -t tracefs nodev /sys/kernel/tracing"));
	error_destroy(err);
	sys_faked_file(f, "/mnt/trace/events/x", "");
	sys_faked_file(f, "/proc/mounts", "proc /proc proc rw 0 0\nnodev /mnt/trace tracefs rw 0 0\n");
	assert_ok(sys_tracefs(sys, &path));
	assert_string_equal(path, "/mnt/trace");
	free(path);
	sys_faked_file(f, "/proc/mounts", "");
	f->mount_errnum = 0;
	f->mounts = 0;
	assert_ok(sys_tracefs(sys, &path));
	assert_string_equal(path, "/sys/kernel/tracing");
	assert_int_equal(f->mounts, 1);
	free(path);
	sys_faked_destroy(f);
}

static void the_hierarchy_of_cgroups_is_where_it_is_mounted(void **state)
{
	struct sys_faked *f = sys_faked_create();
	const struct sys *sys = sys_faked_sys(f);
	assert_null(sys_cgroup2_root(sys));
	sys_faked_file(f, "/proc/self/mounts", "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\nshort\n\n");
	assert_null(sys_cgroup2_root(sys));
	sys_faked_file(f, "/proc/self/mounts", "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
					       "cgroup2 /mnt/a\\040b\\9 cgroup2 rw 0 0\ncgroup2 /other cgroup2 rw 0 0\n");
	char *root = sys_cgroup2_root(sys);
	assert_string_equal(root, "/mnt/a b\\9");
	free(root);
	sys_faked_destroy(f);
}

static void assert_perf_root(const struct sys *sys, const char *expected, unsigned expected_version)
{
	unsigned version;
	char *root = sys_cgroup_perf_root(sys, &version);
	if (expected)
		assert_string_equal(root, expected);
	else
		assert_null(root);
	assert_true(!expected || version == expected_version);
	free(root);
}

static void cgroups_of_counters_are_below_a_mount(void **state)
{
	struct sys_faked *f = sys_faked_create();
	const struct sys *sys = sys_faked_sys(f);
	sys_names names = {};
	int fd = -1;
	/* directories without a mount */
	sys_faked_file(f, "/sys/fs/cgroup/perf_event/plain/tasks", "");
	sys_faked_file(f, "/sys/fs/cgroup/cgroup.controllers", "");
	sys_faked_file(f, "/sys/fs/cgroup/unified/mine/cgroup.procs", "");
	sys_faked_file(f, "/proc/self/mounts", "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
					       "cgroup /sys/fs/cgroup/x cgroup rw,name=my_perf_event,perf_events 0 0\n");
	assert_perf_root(sys, NULL, 0);
	assert_fails(sys_cgroup_open(sys, "plain", &fd), ERROR_NOT_FOUND);
	assert_true(sys_cgroups_matching(sys, ".", &names));
	assert_int_equal(names.len, 0);
	/* version 2, besides that directory */
	sys_faked_file(f, "/proc/self/mounts", "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n");
	assert_perf_root(sys, "/sys/fs/cgroup/unified", 2);
	assert_fails(sys_cgroup_open(sys, "plain", &fd), ERROR_NOT_FOUND);
	assert_ok(sys_cgroup_open(sys, "mine", &fd));
	close(fd);
	assert_true(sys_cgroups_matching(sys, "^m", &names));
	assert_int_equal(names.len, 1);
	assert_string_equal(names.data[0], "mine");
	/* the controller if it is mounted, in either order */
	sys_faked_file(f, "/proc/self/mounts", "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
					       "cgroup /sys/fs/cgroup/perf_event cgroup rw,relatime,perf_event 0 0\n");
	assert_perf_root(sys, "/sys/fs/cgroup/perf_event", 1);
	assert_ok(sys_cgroup_open(sys, "plain", &fd));
	close(fd);
	sys_names_deinit(&names);
	sys_faked_destroy(f);
}

static void topology_of_a_made_up_machine(void **state)
{
	struct sys_faked *f = sys_faked_create();
	sys_faked_file(f, "/sys/devices/system/cpu/present", "0-3\n");
	sys_faked_file(f, "/sys/devices/system/cpu/online", "0-2\n");
	sys_faked_file(f, "/sys/devices/system/node/online", "0-1\n");
	sys_faked_file(f, "/sys/devices/system/node/node0/cpulist", "0-1\n");
	sys_faked_file(f, "/sys/devices/system/node/node0/meminfo",
		       "Node 0 MemTotal:       1000 kB\nNode 0 MemFree:         400 kB\n");
	sys_faked_file(f, "/sys/devices/system/node/node1/cpulist", "2-3\n");
	for (int cpu = 0; cpu < 3; cpu++) {
		char path[128], text[16];
		static const struct {
			const char *name;
			int value[3];
		} numbers[] = { { "core_id", { 0, 0, 4 } },
				{ "die_id", { 0, 0, 0 } },
				{ "physical_package_id", { 0, 0, 1 } } };
		for (size_t i = 0; i < 3; i++) {
			snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, numbers[i].name);
			snprintf(text, sizeof(text), "%d\n", numbers[i].value[cpu]);
			sys_faked_file(f, path, text);
		}
		static const char *const lists[] = { "core_cpus_list", "package_cpus_list", "die_cpus_list" };
		for (size_t i = 0; i < 3; i++) {
			snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/%s", cpu, lists[i]);
			sys_faked_file(f, path, cpu < 2 ? "0-1\n" : "2\n");
		}
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index0/type", cpu);
		sys_faked_file(f, path, "Data\n");
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index0/level", cpu);
		sys_faked_file(f, path, "1\n");
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index0/shared_cpu_list", cpu);
		sys_faked_file(f, path, cpu < 2 ? "0-1\n" : "2\n");
	}
	struct sys_topology t;
	assert_ok(sys_topology_read(&t, sys_faked_sys(f)));
	assert_int_equal(t.cpus.len, 4);
	assert_int_equal(t.online_nr, 3);
	assert_false(t.cpus.data[3].online);
	assert_int_equal(t.cpus.data[3].socket, -1);
	assert_int_equal(t.cpus.data[2].socket, 1);
	assert_int_equal(t.cpus.data[2].core, 4);
	assert_int_equal(t.cpus.data[1].node, 0);
	assert_int_equal(t.cpus.data[2].node, 1);
	assert_int_equal(t.cores.len, 2);
	assert_string_equal(t.packages.data[0], "0-1");
	assert_int_equal(t.caches.len, 2);
	assert_int_equal(t.nodes.data[0].mem_total_kb, 1000);
	assert_int_equal(t.nodes.data[0].mem_free_kb, 400);
	sys_topology_deinit(&t);
	sys_faked_file(f, "/proc/cpuinfo",
		       "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\n"
		       "model name\t: Some CPU\nstepping\t: 2\n");
	char *id = sys_cpuid(sys_faked_sys(f)), *name = sys_cpu_description(sys_faked_sys(f));
	assert_string_equal(id, "GenuineIntel,6,207,2");
	assert_string_equal(name, "Some CPU");
	free(id);
	free(name);
	sys_faked_destroy(f);
}

/* At any time within a second: not later than an event that is known to be after it. */
static void a_process_has_one_start(void **state)
{
	time_t before = time(NULL);
	pid_t pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	time_t after = time(NULL);
	int64_t starts[20];
	for (int i = 0; i < 20; i++) {
		starts[i] = process_start_s((uint32_t)pid);
		usleep(50000);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (int i = 0; i < 20; i++) {
		assert_in_range(starts[i], before - 1, after);
		assert_int_equal(starts[i], starts[0]);
	}
}

/* Of a file that was removed since; maps writes its low address with zeros in front, map_files has it without. */
static void a_mapped_file_is_opened(void **state)
{
	char path[] = "/tmp/strobe-mapped-XXXXXX";
	char *low = (char *)0x0a000000ul;
	struct stat made, opened;
	int fd = mkstemp(path);
	assert_true(fd >= 0 && !ftruncate(fd, 4096) && !fstat(fd, &made));
	void *at = mmap(low, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, fd, 0);
	unlink(path);
	close(fd);
	if (at != low) /* taken, or not supported */
		skip();
	int by_range = process_mapping_open((uint32_t)getpid(), (uintptr_t)low, (uintptr_t)low + 4096);
	int by_path = process_mapped_file_open((uint32_t)getpid(), path);
	munmap(low, 4096);
	if (by_range == -EPERM || by_range == -ENOENT) /* no CAP_CHECKPOINT_RESTORE, or a kernel without map_files */
		skip();
	for (int i = 0; i < 2; i++) {
		fd = i ? by_path : by_range;
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &opened), 0);
		assert_int_equal(opened.st_ino, made.st_ino);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(live_counts_page_faults),
		cmocka_unit_test(live_files_and_clocks),
		cmocka_unit_test(perf_abi_bits_lie_where_the_kernel_reads_them),
		cmocka_unit_test(procmap_query_finds_our_code),
		cmocka_unit_test(a_process_has_one_start),
		cmocka_unit_test(a_mapped_file_is_opened),
		cmocka_unit_test(faked_calls_are_kept_and_answered),
		cmocka_unit_test(load_is_what_passed_between_two_readings),
		cmocka_unit_test(limits_are_read_below_the_root),
		cmocka_unit_test(tracefs_is_found_mounted_or_explained),
		cmocka_unit_test(the_hierarchy_of_cgroups_is_where_it_is_mounted),
		cmocka_unit_test(cgroups_of_counters_are_below_a_mount),
		cmocka_unit_test(topology_of_a_made_up_machine),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
