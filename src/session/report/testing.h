/*
 * A recording of two tasks for unit tests: alpha has three samples of period 5 at 1.0, 1.1 and 1.2 s, beta two of period 7 at 1.3 and
 * 1.4 s.
 */
#pragma once
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "perfdata/file_builder.h"
#include "session/report/report_session.h"

#define MS 1000000ull

enum { ALPHA = 10, BETA = 20 };

static inline void add_thread(struct bytes_builder *b, uint32_t pid, uint64_t ms)
{
	bytes_u32(b, pid);
	bytes_u32(b, pid);
	bytes_u64(b, ms * MS);
}

static inline void add_name(struct bytes_builder *b, uint32_t pid, const char name[8])
{
	bytes_begin(b, PERF_RECORD_COMM, 0);
	bytes_u32(b, pid);
	bytes_u32(b, pid);
	bytes_raw(b, name, 8);
	add_thread(b, pid, 900);
	bytes_end(b);
}

static inline void add_period(struct bytes_builder *b, uint32_t pid, uint64_t ms, uint64_t period)
{
	bytes_begin(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	add_thread(b, pid, ms);
	bytes_u64(b, period);
	bytes_end(b);
}

struct report_fixture {
	char path[40];
	struct session_host host;
	struct report_request request;
	struct report_session r;
};

static inline void fixture_begin(struct report_fixture *f, const char *sort)
{
	struct file_builder file = build_file(false);
	*f = (struct report_fixture){ .path = "/tmp/strobe-report-XXXXXX", .request = report_request_defaults() };
	build_event(&file, PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD, 71);
	add_name(&file.data, ALPHA, "alpha\0\0");
	add_name(&file.data, BETA, "beta\0\0\0");
	for (uint64_t ms = 1000; ms <= 1400; ms += 100)
		add_period(&file.data, ms < 1300 ? ALPHA : BETA, ms, ms < 1300 ? 5 : 7);
	struct bytes_builder b = build_finish(&file);
	int fd = mkstemp(f->path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, b.bytes.data, b.bytes.len), b.bytes.len);
	close(fd);
	bytes_deinit(&b);
	build_deinit(&file);
	f->request.program = "strobe";
	f->request.selection.symbol_files.ignore_vmlinux = true;
	f->request.grouping.sort = sort;
}

static inline void fixture_open(struct report_fixture *f)
{
	report_session_init(&f->r, &f->request);
	assert_ok(session_open(&f->r.session, &f->host, f->path, false));
}

static inline void fixture_end(struct report_fixture *f)
{
	report_session_deinit(&f->r);
	unlink(f->path);
}
