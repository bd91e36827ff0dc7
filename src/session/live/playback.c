#include "session/live/playback.h"

#include "base/cleanup.h"
#include "base/mem.h"

#define FIRST_NS 60000000000ull

void playback_init(struct playback *p, struct history *history, uint64_t now_ns)
{
	*p = (struct playback){ .history = history, .began_ns = now_ns };
}

void playback_deinit(struct playback *p)
{
	profile_destroy(p->first_minute);
	profile_destroy(p->so_far);
}

/* ---- which slices ---- */

static size_t steps_back(const struct history *h)
{
	return h->slices.len > 1 ? h->slices.len - 2 : 0;
}

/* The slices that overlap a span; false: none in the history. */
static bool find_slices(const struct history *h, struct time_range span, size_t *ret_first, size_t *ret_last)
{
	bool found = false;
	for (size_t i = 0; i < h->slices.len; i++) {
		const struct history_slice *s = &h->slices.data[i];
		if (s->end_ns <= span.from_ns || s->start_ns > span.to_ns)
			continue;
		*ret_first = found ? *ret_first : i;
		*ret_last = i;
		found = true;
	}
	return found;
}

static struct strobe_error *require_slices(const struct history *h, struct time_range span, size_t *ret_first, size_t *ret_last)
{
	return find_slices(h, span, ret_first, ret_last) ? NULL : error_create(ERROR_NOT_FOUND, "no history for that time");
}

void playback_pause(struct playback *p, bool on)
{
	p->is_paused = on;
	p->back = 0;
}

void playback_step(struct playback *p, int by)
{
	p->is_paused = true;
	if (by < 0 && p->back < steps_back(p->history))
		p->back++;
	if (by > 0 && p->back)
		p->back--;
}

struct strobe_error *playback_narrow(struct playback *p, struct time_range span)
{
	size_t first = 0, last = 0;
	if (span.to_ns)
		TRY(require_slices(p->history, span, &first, &last));
	p->span = span;
	playback_pause(p, span.to_ns != 0);
	return NULL;
}

void playback_added(struct playback *p)
{
	p->back += p->is_paused;
}

static void show_paused(struct playback *p)
{
	struct history *h = p->history;
	size_t first = 0, last = h->slices.len - 1, most = steps_back(h);
	p->back = p->back < most ? p->back : most;
	if (!p->span.to_ns)
		history_show_span(h, last - p->back, last - p->back);
	else if (find_slices(h, p->span, &first, &last))
		history_show_span(h, first, last);
	else
		history_show_span(h, 0, 0); /* the oldest slice */
}

void playback_show(struct playback *p)
{
	if (p->is_paused)
		show_paused(p);
	else
		history_show(p->history);
	profile_destroy(take_ptr(p->so_far));
}

bool playback_age(const struct playback *p, uint64_t now_ns, uint64_t *ret_ns)
{
	const struct history *h = p->history;
	if (!p->is_paused || p->span.to_ns)
		return false;
	*ret_ns = now_ns - h->slices.data[h->slices.len - 1 - p->back].end_ns;
	return true;
}

/* ---- the first minute ---- */

static bool counts_something(void *ctx, const struct profile *p, const struct profile_row *row)
{
	return row->samples > 0;
}

/* Shows the first minute, or the counts up to now, in the history's profile. */
static struct profile *copy_first_minute(const struct playback *p)
{
	struct history *h = p->history;
	size_t first = 0, last = 0;
	(void)find_slices(h, (struct time_range){ 0, p->began_ns + FIRST_NS }, &first, &last);
	history_show_span(h, first, last);
	return profile_filter(h->profile, counts_something, NULL);
}

void playback_keep_first_minute(struct playback *p, uint64_t now_ns)
{
	if (p->first_minute || now_ns - p->began_ns < FIRST_NS)
		return;
	p->first_minute = copy_first_minute(p);
	history_show(p->history);
}

struct profile *playback_first_minute(struct playback *p)
{
	if (p->first_minute)
		return p->first_minute;
	profile_destroy(p->so_far);
	p->so_far = copy_first_minute(p);
	return p->so_far;
}

/* ---- samples over time ---- */

/* Only the sum of a slice is known: it is spread evenly over the steps that it covers. */
static void spread(const struct history_slice *slice, struct time_counts *t)
{
	uint64_t begin = t->span.from_ns;
	uint64_t from = slice->start_ns > begin ? (slice->start_ns - begin) / t->step_ns : 0;
	uint64_t to = slice->end_ns > begin ? (slice->end_ns - begin - 1) / t->step_ns : 0;
	uint64_t nr = to - from + 1;
	for (uint64_t k = 0; k < nr && from + k < t->nr; k++)
		t->samples[from + k] += slice->samples * (k + 1) / nr - slice->samples * k / nr;
}

struct strobe_error *playback_times(const struct playback *p, struct time_range span, unsigned n, struct time_counts *ret)
{
	const struct history *h = p->history;
	size_t first = 0, last = 0;
	TRY(require_slices(h, span.to_ns ? span : (struct time_range){ 0, UINT64_MAX }, &first, &last));
	/* The first slice has no duration. */
	first += first + 1 < h->slices.len && h->slices.data[first].start_ns == h->slices.data[first].end_ns;
	span = (struct time_range){ h->slices.data[first].start_ns, h->slices.data[last].end_ns };
	*ret = (struct time_counts){ .span = span, .first_ns = span.from_ns, .step_ns = (span.to_ns - span.from_ns) / (n - 1) + 1 };
	ret->nr = (unsigned)((span.to_ns - span.from_ns) / ret->step_ns) + 1;
	ret->samples = xcalloc(ret->nr, sizeof(*ret->samples));
	for (size_t i = first; i <= last; i++)
		spread(&h->slices.data[i], ret);
	return NULL;
}
