#include "counting/versus.h"

#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "bpf/probe/counts.h"

/* The first runs show the spread, from which the number of runs follows. */
#define PILOT_PAIRS     12
#define PAIRS_MAX       1000
#define SECONDS_MAX     60.0
/* Half the desired width of intervals of ratios: differences of twice that are then found almost always. */
#define PRECISION       0.01

static struct strobe_error *prepare_side(struct versus *v, int index, const struct session_host *host, const struct event_list *events,
					 const struct versus_settings *settings)
{
	struct versus_side *side = &v->sides[index];
	struct counting *c = &side->counting;
	bool whole = settings->target.system_wide || settings->target.cpus;
	struct counter_options counters = settings->counters;
	*c = (struct counting){ .host = host, .sys = v->sys, .settings = { .quiet = settings->quiet }, .target = settings->target,
				.argv = settings->argv[index], .argc = settings->argc[index], .counts_command = !whole };
	TRY(target_resolve(v->sys, &c->target, whole ? 0 : getpid(), &c->map));
	counters.start = whole ? COUNTER_START_CALLED : COUNTER_START_ON_EXEC;
	counter_init(&c->set, v->sys, events, &c->map, counters);
	side->is_prepared = true;
	TRY(probe_counts_take(&c->set, &c->target));
	return tally_init(&side->tally, &c->set, (struct tally_options){ .no_scale = settings->no_scale, .keep_values = true });
}

struct strobe_error *versus_prepare(struct versus *v, const struct session_host *host, const struct sys *sys,
				    const struct event_list *events, const struct versus_settings *settings)
{
	*v = (struct versus){ .sys = sys, .pairs = settings->pairs, .sides = { { .name = "A" }, { .name = "B" } },
			      .random = sys_clock_ns(sys, CLOCK_MONOTONIC) | 1 };
	TRY(prepare_side(v, 0, host, events, settings));
	return prepare_side(v, 1, host, events, settings);
}

void versus_close(struct versus *v)
{
	for (int i = 0; i < 2; i++) {
		struct versus_side *side = &v->sides[i];
		if (side->is_prepared) {
			counting_close(&side->counting);
			tally_deinit(&side->tally);
			counter_deinit(&side->counting.set);
		}
		target_map_deinit(&side->counting.map);
		vec_deinit(&side->elapsed);
	}
}

static struct strobe_error *run_side(struct versus_side *side, bool counts)
{
	struct counting *c = &side->counting;
	counter_reset(&c->set);
	TRY(counting_run(c));
	if (c->signal || !counts)
		return NULL;
	if (c->status) {
		side->failed++;
		side->failed_status = c->status;
	}
	tally_add(&side->tally, TALLY_ALL);
	vec_push(&side->elapsed, c->elapsed_s);
	return NULL;
}

/* xorshift: which of the two runs first. */
static bool toss(struct versus *v)
{
	v->random ^= v->random << 13;
	v->random ^= v->random >> 7;
	v->random ^= v->random << 17;
	return v->random >> 40 & 1;
}

static bool is_interrupted(const struct versus *v)
{
	return v->sides[0].counting.signal || v->sides[1].counting.signal;
}

static struct strobe_error *run_pair(struct versus *v, bool counts)
{
	bool b_first = toss(v);
	TRY(run_side(&v->sides[b_first], counts));
	return is_interrupted(v) ? NULL : run_side(&v->sides[!b_first], counts);
}

struct compare_series versus_values(const struct versus_side *side, uint32_t event)
{
	const struct tally_cell *c = tally_cell(&side->tally, event, 0);
	return (struct compare_series){ c->values.data, c->values.len };
}

bool versus_is_counted(const struct versus *v, uint32_t event)
{
	for (int i = 0; i < 2; i++) {
		const struct versus_side *side = &v->sides[i];
		if (!side->counting.set.events.data[event].supported || !(tally_cell(&side->tally, event, 0)->running.mean > 0))
			return false;
	}
	return v->sides[0].tally.event_of_event[event] == event;
}

/* The count with the largest spread decides, unless no number of runs would suffice. */
static uint64_t pairs_needed(const struct versus *v)
{
	size_t most = 0;
	for (uint32_t i = 0; i < v->sides[0].counting.set.events.len; i++) {
		size_t n = versus_is_counted(v, i) ?
			   compare_runs_needed(versus_values(&v->sides[0], i), versus_values(&v->sides[1], i), PRECISION) : SIZE_MAX;
		if (n != SIZE_MAX && n > most)
			most = n;
	}
	double pair_s = 0;
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < v->sides[i].elapsed.len; k++)
			pair_s += v->sides[i].elapsed.data[k] / PILOT_PAIRS;
	uint64_t limit = pair_s > 0 ? (uint64_t)(SECONDS_MAX / pair_s) : PAIRS_MAX;
	limit = limit > PAIRS_MAX ? PAIRS_MAX : limit;
	if (most > limit)
		log_info("intervals of 1 %% would require %zu pairs of runs; running %llu, within a minute", most,
			 (unsigned long long)limit);
	return most < limit ? most : limit;
}

struct strobe_error *versus_run(struct versus *v, const struct signals *signals, struct workload_options workload)
{
	bool is_chosen = v->pairs > 1;
	uint64_t pairs = is_chosen ? v->pairs : PILOT_PAIRS;
	for (int i = 0; i < 2; i++)
		TRY(counting_open(&v->sides[i].counting, signals, workload));
	TRY(run_pair(v, false));
	for (uint64_t i = 0; i < pairs && !is_interrupted(v); i++) {
		TRY(run_pair(v, true));
		if (i + 1 == PILOT_PAIRS && !is_chosen) {
			uint64_t needed = pairs_needed(v);
			pairs = needed > pairs ? needed : pairs;
		}
	}
	return NULL;
}
