/*
 * internals inject-build-id: a recording of libraries of this machine that are mapped and sampled, copied with their build IDs by a process
 * of its own, whose memory is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/out.h"
#include "bench/priv.h"
#include "bench/tasks.h"
#include "record/record.h"
#include "rewrite/injection.h"

#define ITERATIONS    100
#define MAPPINGS      100
#define SAMPLES       100
#define LIBRARIES_DIR "/usr/lib"
#define LIBRARIES_MAX 128
#define MAPPING_BYTES 8192
#define FIRST_SAMPLE_NS ((uint64_t)1 << 60) /* after all mappings, whose time is their place in the file */
#define PROCESS_ID    (1 << 22) /* of nobody */
#define PATH_BYTES    4096

/* ---- libraries ---- */

/* nftw(3) has no argument for its callback. */
static _Thread_local struct libraries {
	char *paths[LIBRARIES_MAX];
	uint32_t nr;
} found;

static int take_library(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	if (type == FTW_F && S_ISREG(st->st_mode) && strstr(path, ".so") && strlen(path) < PATH_BYTES)
		found.paths[found.nr++] = xstrdup(path);
	return found.nr == LIBRARIES_MAX;
}

static struct strobe_error *find_libraries(void)
{
	found.nr = 0;
	nftw(LIBRARIES_DIR, take_library, 10, FTW_PHYS);
	return found.nr ? NULL : error_create(ERROR_UNSUPPORTED, "no libraries in " LIBRARIES_DIR);
}

static void forget_libraries(void)
{
	while (found.nr)
		free(found.paths[--found.nr]);
}

/* ---- the recording, in the pipe form ---- */

static void put_header(struct out *o)
{
	struct {
		struct perf_event_header header;
		struct perf_event_attr attr;
		uint64_t id;
	} record = { .header = { .type = RECORD_HEADER_ATTR, .size = sizeof(record) },
		     .attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(record.attr), .config = PERF_COUNT_SW_CPU_CLOCK,
			       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .sample_period = 1 } };
	const uint64_t size = 16;
	out_write(o, "PERFILE2", 8);
	out_write(o, &size, sizeof(size));
	out_write(o, &record, sizeof(record));
}

static void put_mapping(struct out *o, const char *path, uint64_t addr)
{
	const size_t name_bytes = (strlen(path) + 8) & ~(size_t)7;
	char name[PATH_BYTES + 8] = {};
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint32_t maj, min;
		uint64_t ino, ino_generation;
		uint32_t prot, flags;
	} record = { .header = { PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, (uint16_t)(sizeof(record) + name_bytes) }, .pid = PROCESS_ID,
		     .tid = PROCESS_ID, .addr = addr, .len = MAPPING_BYTES, .prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE };
	memcpy(name, path, strlen(path));
	out_write(o, &record, sizeof(record));
	out_write(o, name, name_bytes);
}

static void put_sample(struct out *o, uint64_t ip, uint64_t time_ns)
{
	const struct {
		struct perf_event_header header;
		uint64_t ip;
		uint32_t pid, tid;
		uint64_t time_ns;
	} record = { { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(record) }, ip, PROCESS_ID, PROCESS_ID, time_ns };
	out_write(o, &record, sizeof(record));
}

static struct strobe_error *write_recording(int fd, uint64_t mappings, uint64_t samples)
{
	struct out o;
	out_init_fd(&o, fd);
	put_header(&o);
	for (uint64_t i = 0; i < mappings; i++) {
		uint64_t addr = (i + 1) * MAPPING_BYTES;
		put_mapping(&o, found.paths[i % found.nr], addr);
		for (uint64_t k = 0; k < samples; k++)
			put_sample(&o, addr + k * 16 % MAPPING_BYTES, FIRST_SAMPLE_NS + i * samples + k);
	}
	return out_close(&o);
}

/* ---- runs ---- */

/* Standard output is not the copy's. */
static void inject_and_exit(int fd, bool all)
{
	char path[40];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const struct session_host host = {};
	const struct injection_options o = { .input = path, .output = "/dev/null", .build_ids = !all, .all_build_ids = all, .force = true };
	struct strobe_error *err = injection_run(&host, &o);
	error_destroy(err);
	_exit(err ? 1 : 0);
}

static struct strobe_error *inject_once(int fd, bool all, uint64_t *ret_ns, uint64_t *ret_kb)
{
	struct rusage usage;
	int status;
	uint64_t start_ns = bench_clock_ns();
	pid_t pid = fork();
	if (pid < 0)
		return error_errno(errno, "cannot start a process");
	if (!pid)
		inject_and_exit(fd, all);
	while (wait4(pid, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return error_errno(errno, "cannot wait for a process");
	*ret_ns = bench_clock_ns() - start_ns;
	*ret_kb = (uint64_t)usage.ru_maxrss;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? NULL : error_create(ERROR_OTHER, "cannot copy the recording");
}

static struct strobe_error *inject(const struct bench_settings *s, int fd, bool all, uint64_t events, struct bench_report *r)
{
	const char *name = all ? "build-id-all" : "build-id";
	struct stats ms = {}, us = {}, kb = {};
	for (uint64_t i = 0; i < (s->internals.iterations ? s->internals.iterations : ITERATIONS); i++) {
		uint64_t ns, used_kb;
		if (s->verbose)
			bench_line(r, "  Iteration #%" PRIu64 "\n", i + 1);
		TRY(inject_once(fd, all, &ns, &used_kb));
		stats_add(&ms, (double)ns / 1e6);
		stats_add(&us, (double)ns / 1e3 / (double)events);
		stats_add(&kb, (double)used_kb);
	}
	bench_line(r, "  Average %s injection took: %.3f msec (+- %.3f msec)\n", name, ms.mean, stats_error(&ms));
	bench_line(r, "  Average time per event: %.3f usec (+- %.3f usec)\n", us.mean, stats_error(&us));
	bench_line(r, "  Average memory usage: %.0f KB (+- %.0f KB)\n", kb.mean, stats_error(&kb));
	bench_figure(r, name, "time", "ms", ms.mean);
	bench_figure(r, name, "event", "us", us.mean);
	bench_figure(r, name, "memory", "KB", kb.mean);
	return NULL;
}

struct strobe_error *bench_inject_build_id(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t mappings = s->internals.mappings ? s->internals.mappings : MAPPINGS;
	uint64_t samples = s->internals.samples ? s->internals.samples : SAMPLES, events = mappings * (samples + 1);
	int fd = memfd_create("strobe-bench", MFD_CLOEXEC);
	struct strobe_error *err = fd < 0 ? error_errno(errno, "memfd_create") : find_libraries();
	if (!err && s->verbose)
		bench_line(r, "  Collected %" PRIu32 " DSOs\n", found.nr);
	if (!err)
		err = write_recording(fd, mappings, samples);
	for (int all = 0; !err && all < 2; all++)
		err = inject(s, fd, all, events, r);
	forget_libraries();
	if (fd >= 0)
		close(fd);
	return err;
}
