/*
 * internals: what strobe itself does often, as perf's benchmarks of that name do with perf: records of tasks that run already, symbols of
 * the kernel, PMUs in sysfs, events that are opened and closed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "bench/priv.h"
#include "bench/tasks.h"
#include "capture/events.h"
#include "capture/synth.h"
#include "event/pmu.h"
#include "symbol/kallsyms.h"

#define SINGLE_ITERATIONS 10000
#define MULTI_ITERATIONS  10
#define SCAN_ITERATIONS   100
#define OPEN_ITERATIONS   100
#define EVENTS_MAX        10000

static uint64_t or_default(uint64_t value, uint64_t otherwise)
{
	return value ? value : otherwise;
}

/* ---- synthesize ---- */

struct counter {
	struct record_sink sink;
	uint64_t records;
};

static struct strobe_error *count_records(struct record_sink *sink, const void *records, size_t bytes)
{
	struct counter *c = (struct counter *)sink;
	for (const uint8_t *at = records, *end = at + bytes; at < end; c->records++)
		at += ((const struct perf_event_header *)at)->size;
	return NULL;
}

struct synthesis {
	const char *indent, *name, *figure;
	uint64_t iterations;
	unsigned threads;
	bool data_maps;
	const struct target_map *target; /* NULL: all tasks */
};

static struct strobe_error *synthesize_once(const struct synthesis *s, uint64_t *ret_ns, uint64_t *ret_records)
{
	struct counter counter = { .sink.write = count_records };
	const struct synth_options o = { .sys = sys_live(), .parts = SYNTH_TASK | SYNTH_MMAP, .data_maps = s->data_maps,
					 .threads = s->threads };
	struct synth_report report = {};
	uint64_t start_ns = bench_clock_ns();
	struct strobe_error *err = s->target ? synth_target_tasks(&counter.sink, &o, s->target, &report) :
					       synth_all_tasks(&counter.sink, &o, &report);
	*ret_ns = bench_clock_ns() - start_ns;
	*ret_records = counter.records;
	return err;
}

static struct strobe_error *synthesize(const struct synthesis *s, struct bench_report *r)
{
	struct stats us = {}, records = {};
	for (uint64_t i = 0; i < s->iterations; i++) {
		uint64_t ns, n;
		TRY(synthesize_once(s, &ns, &n));
		stats_add(&us, (double)ns / 1e3);
		stats_add(&records, (double)n);
	}
	bench_line(r, "%s  Average %s took: %.3f usec (+- %.3f usec)\n", s->indent, s->name, us.mean, stats_error(&us));
	bench_line(r, "%s  Average num. events: %.3f (+- %.3f)\n", s->indent, records.mean, stats_error(&records));
	bench_line(r, "%s  Average time per event %.3f usec\n", s->indent, records.mean > 0 ? us.mean / records.mean : 0);
	bench_figure(r, s->figure, "time", "us", us.mean);
	return NULL;
}

static struct strobe_error *synthesize_self(const struct bench_settings *s, struct bench_report *r)
{
	char pid[16];
	snprintf(pid, sizeof(pid), "%d", getpid());
	const struct target target = { .pids = pid };
	struct target_map map = {};
	struct strobe_error *err = target_resolve(sys_live(), &target, 0, &map);
	struct synthesis one = { .indent = "", .name = "synthesis", .figure = "one thread",
				 .iterations = or_default(s->internals.single_iterations, SINGLE_ITERATIONS), .threads = 1,
				 .target = &map };
	bench_line(r, "Computing performance of single threaded %s event synthesis by\nsynthesizing events on the %s process itself:\n",
		   BENCH_PROGRAM, BENCH_PROGRAM);
	if (!err)
		err = synthesize(&one, r);
	one.name = "data synthesis";
	one.figure = "one thread, all mappings";
	one.data_maps = true;
	if (!err)
		err = synthesize(&one, r);
	target_map_deinit(&map);
	return err;
}

static struct strobe_error *synthesize_all(const struct bench_settings *s, struct bench_report *r)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t most = or_default(s->internals.max_threads, cpus > 0 ? (uint64_t)cpus : 1);
	bench_line(r, "Computing performance of multi threaded %s event synthesis by\nsynthesizing events on CPU 0:\n", BENCH_PROGRAM);
	for (uint64_t threads = or_default(s->internals.min_threads, 1); threads <= most; threads++) {
		bench_line(r, "  Number of synthesis threads: %" PRIu64 "\n", threads);
		const struct synthesis all = { .indent = "  ", .name = "synthesis",
					       .figure = arena_printf(&r->arena, "%" PRIu64 " threads", threads),
					       .iterations = or_default(s->internals.multi_iterations, MULTI_ITERATIONS),
					       .threads = (unsigned)threads };
		TRY(synthesize(&all, r));
	}
	return NULL;
}

struct strobe_error *bench_synthesize(const struct bench_settings *s, struct bench_report *r)
{
	if (s->internals.single || !s->internals.multi)
		TRY(synthesize_self(s, r));
	return s->internals.multi ? synthesize_all(s, r) : NULL;
}

/* ---- kallsyms-parse ---- */

/* As text, without the cache that other commands use. */
static struct strobe_error *parse_kallsyms(uint64_t *ret_ns)
{
	struct kallsyms k;
	uint64_t start_ns = bench_clock_ns();
	kallsyms_load(&k, "/proc/kallsyms");
	*ret_ns = bench_clock_ns() - start_ns;
	struct strobe_error *err = k.problem ? error_create(ERROR_PERMISSION, "%s", k.problem) : NULL;
	kallsyms_deinit(&k);
	return err;
}

struct strobe_error *bench_kallsyms_parse(const struct bench_settings *s, struct bench_report *r)
{
	struct stats ms = {};
	for (uint64_t i = 0; i < or_default(s->internals.iterations, 1); i++) {
		uint64_t ns;
		TRY(parse_kallsyms(&ns));
		stats_add(&ms, (double)ns / 1e6);
	}
	bench_line(r, "  Average kallsyms__parse took: %.3f ms (+- %.3f ms)\n", ms.mean, stats_error(&ms));
	bench_figure(r, NULL, "time", "ms", ms.mean);
	return NULL;
}

/* ---- pmu-scan ---- */

static uint64_t scan_ns(bool only_cores)
{
	struct pmu_set set;
	uint64_t start_ns = bench_clock_ns();
	pmu_set_init(&set, sys_live());
	pmu_set_read(&set);
	for (size_t i = 0; i < set.pmus.len; i++) {
		struct pmu *pmu = set.pmus.data[i];
		if (only_cores && !pmu->core)
			continue;
		pmu_formats(&set, pmu);
		pmu_aliases(&set, pmu);
	}
	uint64_t ns = bench_clock_ns() - start_ns;
	pmu_set_deinit(&set);
	return ns;
}

struct strobe_error *bench_pmu_scan(const struct bench_settings *s, struct bench_report *r)
{
	uint64_t iterations = or_default(s->internals.iterations, SCAN_ITERATIONS);
	bench_line(r, "Computing performance of sysfs PMU event scan for %" PRIu64 " times\n", iterations);
	for (int only_cores = 1; only_cores >= 0; only_cores--) {
		struct stats us = {};
		for (uint64_t i = 0; i < iterations; i++)
			stats_add(&us, (double)scan_ns(only_cores) / 1e3);
		bench_line(r, "  Average %sPMU scanning took: %.3f usec (+- %.3f usec)\n", only_cores ? "core " : "", us.mean,
			   stats_error(&us));
		bench_figure(r, only_cores ? "cores" : "all", "time", "us", us.mean);
	}
	return NULL;
}

/* ---- evlist-open-close ---- */

/* Without rings: opened, enabled, disabled and closed. */
static struct strobe_error *open_once(const struct event_list *list, const struct target_map *map, uint64_t *ret_ns)
{
	struct event_set set;
	struct capture_options o;
	capture_options_init(&o);
	event_set_init(&set, sys_live());
	event_set_add_list(&set, list);
	struct strobe_error *err = capture_events_configure(&set, &o, map);
	uint64_t start_ns = bench_clock_ns();
	if (!err)
		err = capture_events_open(&set, &o, map);
	if (!err) {
		capture_events_enable(&set);
		capture_events_disable(&set);
	}
	event_set_deinit(&set);
	*ret_ns = bench_clock_ns() - start_ns;
	return err;
}

/* -e, or a dummy event, as often as -n says. */
static struct strobe_error *list_events(const struct bench_internals *s, struct event_list *ret)
{
	uint64_t copies = or_default(s->events, 1);
	event_list_init(ret);
	if (copies > EVENTS_MAX)
		return error_create(ERROR_USAGE, "-n: at most %d", EVENTS_MAX);
	for (uint64_t i = 0; i < copies; i++)
		TRY(event_parse(ret, sys_live(), s->event ? s->event : "dummy"));
	return NULL;
}

static struct strobe_error *open_repeatedly(const struct bench_settings *s, const struct event_list *list, const struct target_map *map,
					    struct bench_report *r)
{
	uint64_t iterations = or_default(s->internals.iterations, OPEN_ITERATIONS);
	struct stats us = {};
	bench_line(r, "  Number of cpus:\t%zu\n  Number of threads:\t%zu\n", map->cpus.len, map->threads.len);
	bench_line(r, "  Number of events:\t%zu (%zu fds)\n", list->events.len, list->events.len * map->cpus.len * map->threads.len);
	bench_line(r, "  Number of iterations:\t%" PRIu64 "\n", iterations);
	for (uint64_t i = 0; i < iterations; i++) {
		uint64_t ns;
		TRY(open_once(list, map, &ns));
		stats_add(&us, (double)ns / 1e3);
	}
	bench_line(r, "  Average open-close took: %.3f usec (+- %.3f usec)\n", us.mean, stats_error(&us));
	bench_figure(r, NULL, "time", "us", us.mean);
	return NULL;
}

struct strobe_error *bench_open_close(const struct bench_settings *s, struct bench_report *r)
{
	char pid[16];
	struct target target = s->internals.target;
	struct target_map map = {};
	struct event_list list;
	snprintf(pid, sizeof(pid), "%d", getpid());
	if (target_is_none(&target))
		target.pids = pid;
	struct strobe_error *err = list_events(&s->internals, &list);
	if (!err)
		err = target_resolve(sys_live(), &target, 0, &map);
	if (!err)
		err = open_repeatedly(s, &list, &map, r);
	target_map_deinit(&map);
	event_list_deinit(&list);
	return err;
}
