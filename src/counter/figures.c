/*
 * Derived figures: ratios of a count and others, printed after the '#'. Those that are metrics in perf 7.2 have its names and units.
 *
 * A figure combines counts of the same place, cgroup and level (user, kernel): instructions of user space are not divided by
 * all cycles.
 */
#include <string.h>

#include "counter/listing.h"

struct context {
	const struct tally *t;
	uint32_t event, place;
};

static bool same_level(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->exclude_user == b->exclude_user && a->exclude_kernel == b->exclude_kernel && a->exclude_hv == b->exclude_hv &&
	       a->exclude_host == b->exclude_host && a->exclude_idle == b->exclude_idle;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The mean of another event in the same place; 0: not counted. */
static double other(const struct context *c, uint32_t type, uint64_t config, bool any_level)
{
	const struct counter_set *set = c->t->set;
	const struct counter_event *me = &set->events.data[c->event];
	for (uint32_t i = 0; i < set->events.len; i++) {
		const struct counter_event *e = &set->events.data[i];
		const struct tally_cell *cell = tally_cell(c->t, i, c->place);
		/* On a hybrid machine the upper half of config is the PMU's type. */
		bool half = type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
		uint64_t of_e = half ? e->attr.config & 0xffffffff : e->attr.config;
		if (e->attr.type != type || of_e != config || e->event->kind == EVENT_TOOL || !cell->used)
			continue;
		if (half && e->attr.config >> 32 != me->attr.config >> 32 && me->attr.type == type)
			continue;
		if (same_text(e->event->cgroup, me->event->cgroup) && (any_level || same_level(&e->attr, &me->attr)))
			return cell->value.mean;
	}
	return 0;
}

static double hardware(const struct context *c, uint64_t config)
{
	return other(c, PERF_TYPE_HARDWARE, config, false);
}

/* Nanoseconds of the counted clock, whichever it is. */
static double clock_ns(const struct context *c)
{
	double ns = other(c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true);
	return ns > 0 ? ns : other(c, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true);
}

static void add(struct counts_row *row, struct counts_figure f)
{
	if (row->figures_nr < COUNTS_FIGURES)
		row->figures[row->figures_nr++] = f;
}

static void add_share(struct counts_row *row, double part, double whole, const double marks[3], const char *unit)
{
	double percent = 100.0 * part / whole;
	enum counts_mark mark = percent > marks[0] ? COUNTS_HIGH : percent > marks[1] ? COUNTS_MEDIUM :
				percent > marks[2] ? COUNTS_LOW : COUNTS_PLAIN;
	bool is_percent = *unit == '%';
	add(row, (struct counts_figure){ is_percent ? percent : percent / 100, 8, is_percent ? 2 : 3, "", unit, mark });
}

/* Thresholds of shares for colours, highest first. */
static const double stalled_front_marks[] = { 50, 30, 10 }, stalled_back_marks[] = { 75, 50, 20 }, miss_marks[] = { 20, 10, 5 };

static void add_per_second(struct counts_row *row, double count, double ns)
{
	static const char *const units[] = { "/sec", "K/sec", "M/sec", "G/sec" };
	double rate = count * 1e9 / ns;
	unsigned i = 0;
	for (; rate >= 1000 && i < 3; i++)
		rate /= 1000;
	add(row, (struct counts_figure){ rate, 8, 3, "", units[i], COUNTS_PLAIN });
}

/* Adds the rate; some events have a metric for it. */
static void add_rate(struct counts_row *row, const struct counter_event *e, double count, double ns)
{
	static const struct {
		uint64_t config;
		const char *unit;
	} rates[] = {
		{ PERF_COUNT_SW_CONTEXT_SWITCHES, "cs/sec  cs_per_second" },
		{ PERF_COUNT_SW_CPU_MIGRATIONS, "migrations/sec  migrations_per_second" },
		{ PERF_COUNT_SW_PAGE_FAULTS, "faults/sec  page_faults_per_second" },
	};
	for (size_t i = 0; e->attr.type == PERF_TYPE_SOFTWARE && i < sizeof(rates) / sizeof(*rates); i++)
		if (rates[i].config == e->attr.config) {
			add(row, (struct counts_figure){ count * 1e9 / ns, 8, 1, "", rates[i].unit, COUNTS_PLAIN });
			return;
		}
	if (e->attr.type == PERF_TYPE_HARDWARE && (e->attr.config & 0xffffffff) == PERF_COUNT_HW_BRANCH_INSTRUCTIONS)
		add(row, (struct counts_figure){ count * 1e3 / ns, 8, 1, "", "M/sec  branch_frequency", COUNTS_PLAIN });
	else
		add_per_second(row, count, ns);
}

static void add_instructions(struct counts_row *row, const struct context *c, double count)
{
	double cycles = hardware(c, PERF_COUNT_HW_CPU_CYCLES);
	if (cycles > 0)
		add(row, (struct counts_figure){ count / cycles, 8, 2, "", "instructions  insn_per_cycle", COUNTS_PLAIN });
	double front = hardware(c, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND), back = hardware(c, PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	double most = front > back ? front : back;
	if (most > 0 && count > 0)
		add(row, (struct counts_figure){ most / count, 8, 2, "", "stalled_cycles_per_instruction", COUNTS_PLAIN });
}

/* True if a generic hardware event has a special figure. */
static bool add_hardware(struct counts_row *row, const struct context *c, uint64_t config, double count)
{
	double whole;
	switch (config) {
	case PERF_COUNT_HW_INSTRUCTIONS:
		add_instructions(row, c, count);
		return true;
	case PERF_COUNT_HW_BRANCH_MISSES:
		whole = hardware(c, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
		if (whole > 0)
			add_share(row, count, whole, miss_marks, "%  branch_miss_rate");
		return whole > 0;
	case PERF_COUNT_HW_CACHE_MISSES:
		whole = hardware(c, PERF_COUNT_HW_CACHE_REFERENCES);
		if (whole > 0)
			add(row, (struct counts_figure){ 100.0 * count / whole, 8, 3, " %", "of all cache refs", COUNTS_PLAIN });
		return whole > 0;
	case PERF_COUNT_HW_STALLED_CYCLES_FRONTEND:
	case PERF_COUNT_HW_STALLED_CYCLES_BACKEND:
		whole = hardware(c, PERF_COUNT_HW_CPU_CYCLES);
		bool front = config == PERF_COUNT_HW_STALLED_CYCLES_FRONTEND;
		if (whole > 0)
			add_share(row, count, whole, front ? stalled_front_marks : stalled_back_marks,
				    front ? "frontend_cycles_idle" : "backend_cycles_idle");
		return true;
	case PERF_COUNT_HW_CPU_CYCLES:
		if (clock_ns(c) > 0)
			add(row, (struct counts_figure){ count / clock_ns(c), 8, 3, "", "GHz  cycles_frequency", COUNTS_PLAIN });
		return true;
	default:
		return false;
	}
}

/* Misses of a cache as a share of its accesses. */
static bool add_cache(struct counts_row *row, const struct context *c, uint64_t config, double count)
{
	static const char *const units[] = {
		[PERF_COUNT_HW_CACHE_L1D] = "%  l1d_miss_rate",   [PERF_COUNT_HW_CACHE_L1I] = "%  l1i_miss_rate",
		[PERF_COUNT_HW_CACHE_LL] = "%  llc_miss_rate",     [PERF_COUNT_HW_CACHE_DTLB] = "%  dtlb_miss_rate",
		[PERF_COUNT_HW_CACHE_ITLB] = "%  itlb_miss_rate",
	};
	unsigned cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;
	if (op != PERF_COUNT_HW_CACHE_OP_READ || result != PERF_COUNT_HW_CACHE_RESULT_MISS ||
	    cache >= sizeof(units) / sizeof(*units))
		return false;
	double whole = other(c, PERF_TYPE_HW_CACHE, cache | PERF_COUNT_HW_CACHE_OP_READ << 8, false);
	if (whole > 0)
		add_share(row, count, whole, miss_marks, units[cache]);
	return whole > 0;
}

void figures_add(struct counts_row *row, const struct tally *t, uint32_t event, uint32_t place, double elapsed_s)
{
	const struct counter_event *e = &t->set->events.data[event];
	struct context c = { t, event, place };
	double count = tally_cell(t, event, place)->value.mean, ns;
	uint64_t config = e->attr.config;
	bool tool = e->event->kind == EVENT_TOOL;
	if (!tool && e->attr.type == PERF_TYPE_SOFTWARE &&
	    (config == PERF_COUNT_SW_TASK_CLOCK || config == PERF_COUNT_SW_CPU_CLOCK)) {
		if (elapsed_s > 0)
			add(row, (struct counts_figure){ count / (elapsed_s * 1e9), 8, 3, "", "CPUs  CPUs_utilized", COUNTS_PLAIN });
		return;
	}
	if (e->attr.type == PERF_TYPE_HARDWARE && add_hardware(row, &c, config & 0xffffffff, count))
		return;
	if (e->attr.type == PERF_TYPE_HW_CACHE && add_cache(row, &c, config & 0xffffffff, count))
		return;
	ns = clock_ns(&c);
	if (ns > 0 && !tool)
		add_rate(row, e, count, ns);
}
