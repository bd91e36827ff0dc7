#include "profile/arithmetic.h"

#include <math.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "profile/transfer_priv.h"

/* ---- numbers ---- */

static int64_t sum(int64_t a, int64_t b)
{
	int64_t ret;
	if (!__builtin_add_overflow(a, b, &ret))
		return ret;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t negated(int64_t n)
{
	return n == INT64_MIN ? INT64_MAX : -n;
}

/* Truncates the fraction; NaN becomes 0. */
static int64_t saturated(double n)
{
	if (isnan(n))
		return 0;
	return n >= 0x1p63 ? INT64_MAX : n < -0x1p63 ? INT64_MIN : (int64_t)n;
}

static void add_to(uint64_t *to, int64_t n)
{
	*to = (uint64_t)sum((int64_t)*to, n);
}

int64_t profile_net_value(const struct profile *p, uint32_t event)
{
	int64_t net = 0;
	for (size_t i = 0; i < p->rows.len; i++)
		if (p->rows.data[i].event == event)
			net = sum(net, (int64_t)p->rows.data[i].value);
	return net;
}

int64_t profile_gross_value(const struct profile *p, uint32_t event)
{
	int64_t gross = 0;
	for (size_t i = 0; i < p->rows.len; i++) {
		int64_t value = (int64_t)p->rows.data[i].value;
		if (p->rows.data[i].event == event)
			gross = sum(gross, value < 0 ? negated(value) : value);
	}
	return gross;
}

/* ---- rows on their way into a new profile ---- */

/* Changes applied to copied rows. */
struct change {
	const double *factors; /* by event of the source; NULL: 1 */
	double divisor;        /* of all values; 0: 1 */
	bool negates;
	const char *label;     /* "true" in each row; NULL: none */
};

static int64_t changed_value(const struct profile_row *row, const struct change *c)
{
	int64_t value = (int64_t)row->value;
	double factor = c->factors ? c->factors[row->event] : 1;
	/* not all values fit a double: unchanged ones are not converted */
	if (factor != 1)
		value = saturated(round((double)value * factor));
	if (c->divisor && c->divisor != 1)
		value = saturated((double)value / c->divisor);
	return value;
}

/* The label set of a row in the new profile, with the text "true" in a further column. */
static labels_id mark_labels(struct profile *to, labels_id labels, uint32_t column)
{
	size_t nr = to->columns.len;
	_cleanup_free_ uint64_t *values = xcalloc(nr, sizeof(*values));
	if (labels != PROFILE_NONE)
		memcpy(values, profile_label_values(to, labels), nr * sizeof(*values));
	values[column] = strtab_add(&to->strings, "true");
	return profile_labels(to, values);
}

/* Returns the index of the row that it was added to. */
static uint32_t carry_row(struct profile_transfer *t, const struct profile_row *row, const struct change *c, uint32_t label_column)
{
	struct profile *to = t->dst;
	int64_t value = changed_value(row, c), samples = (int64_t)row->samples, weight = (int64_t)row->weight;
	labels_id labels = profile_transfer_labels(t, row->labels);
	if (c->label)
		labels = mark_labels(to, labels, label_column);
	uint32_t event = profile_transfer_event(t, row->event);
	uint32_t at = profile_add(to, profile_transfer_stack(t, row->stack), labels, event, 0, 0, 0);
	add_to(&to->rows.data[at].samples, c->negates ? negated(samples) : samples);
	add_to(&to->rows.data[at].value, c->negates ? negated(value) : value);
	add_to(&to->rows.data[at].weight, c->negates ? negated(weight) : weight);
	add_to(&to->events.data[event].samples, c->negates ? negated(samples) : samples);
	add_to(&to->events.data[event].value, c->negates ? negated(value) : value);
	return at;
}

/* All events and rows; with_log: the time log, too. */
static void carry_all(struct profile_transfer *t, const struct change *c, bool with_log)
{
	const struct profile *from = t->src;
	_cleanup_free_ uint32_t *rows = xcalloc(from->rows.len + 1, sizeof(*rows));
	uint32_t label = c->label ? profile_transfer_add_column(t, c->label, COLUMN_STRING) : PROFILE_NONE;
	for (uint32_t i = 0; i < from->events.len; i++)
		profile_transfer_event(t, i);
	for (size_t i = 0; i < from->rows.len; i++)
		rows[i] = carry_row(t, &from->rows.data[i], c, label) + 1;
	if (with_log)
		profile_transfer_log(t, rows);
}

static struct profile *changed(const struct profile *p, const struct change *c, bool with_log)
{
	struct profile *ret = profile_create();
	struct profile_transfer t;
	profile_transfer_init(&t, ret, p);
	profile_transfer_origin(&t);
	for (mapping_id i = 0; i < p->mappings.len; i++)
		profile_transfer_mapping(&t, i);
	carry_all(&t, c, with_log);
	profile_transfer_deinit(&t);
	return ret;
}

struct profile *profile_copy(const struct profile *p)
{
	return changed(p, &(struct change){}, true);
}

struct profile *profile_scale(const struct profile *p, const double *factors)
{
	return changed(p, &(struct change){ .factors = factors }, true);
}

struct profile *profile_divide(const struct profile *p, double divisor)
{
	return changed(p, &(struct change){ .divisor = divisor }, true);
}

struct profile *profile_negate(const struct profile *p)
{
	return changed(p, &(struct change){ .negates = true }, true);
}

static double factor_to(int64_t ours, int64_t theirs)
{
	return ours == theirs ? 1 : ours ? (double)theirs / (double)ours : 0;
}

struct profile *profile_normalize(const struct profile *p, const struct profile *base)
{
	_cleanup_free_ double *factors = xcalloc(p->events.len + 1, sizeof(*factors));
	for (uint32_t i = 0; i < p->events.len; i++) {
		uint32_t same = profile_find_event(base, p, i);
		factors[i] = same == PROFILE_NONE ? 1 : factor_to(profile_net_value(p, i), profile_net_value(base, same));
	}
	return profile_scale(p, factors);
}

static bool has_value(void *ctx, const struct profile *p, const struct profile_row *row)
{
	(void)ctx;
	(void)p;
	return row->value != 0;
}

struct profile *profile_drop_zero(const struct profile *p)
{
	return profile_filter(p, has_value, NULL);
}

/* ---- with a base ---- */

/* A single event of the base matches a single one of the profile, whatever their names. */
static void match_single(struct profile_transfer *t)
{
	if (t->src->events.len != 1 || t->dst->events.len != 1)
		return;
	const struct profile_event *ours = &t->dst->events.data[0], *theirs = &t->src->events.data[0];
	if (!strcmp(profile_str(t->dst, ours->unit), profile_str(t->src, theirs->unit)))
		t->events[0] = 1;
}

void profile_merge_negative(struct profile *dst, const struct profile *base, const struct profile_difference *how)
{
	struct profile_transfer t;
	size_t nr = dst->events.len;
	uint64_t duration_ns = dst->duration_ns;
	_cleanup_free_ struct profile_event *measured = xcalloc(nr + 1, sizeof(*measured));
	for (size_t i = 0; i < nr; i++)
		measured[i] = dst->events.data[i];
	vec_clear(&dst->log);
	dst->log_dropped = 0;
	profile_transfer_init(&t, dst, base);
	profile_transfer_merge_origin(&t);
	if (how->match_single)
		match_single(&t);
	carry_all(&t, &(struct change){ .negates = true, .label = how->base_label }, false);
	profile_transfer_deinit(&t);
	for (size_t i = 0; i < nr; i++)
		dst->events.data[i] = measured[i];
	if (!how->sums_durations)
		dst->duration_ns = duration_ns;
}

struct profile *profile_subtract(const struct profile *p, const struct profile *base, const struct profile_difference *how)
{
	struct profile *ret = changed(p, &(struct change){}, false);
	profile_merge_negative(ret, base, how);
	return ret;
}

/* Adds the base's event as a separate one. */
static void declare_base_event(struct profile_transfer *t, uint32_t i, const char *name, const char *prefix)
{
	const struct profile_event *e = &t->src->events.data[i];
	_cleanup_free_ char *prefixed = xasprintf("%s%s", prefix, name);
	uint32_t id = (uint32_t)t->dst->events.len;
	struct profile_event made = {
		.name = strtab_add(&t->dst->strings, prefixed),
		.unit = profile_transfer_string(t, e->unit),
		.lost = e->lost,
		.leader = e->leader < i ? t->events[e->leader] - 1 : id,
		.is_tracepoint = e->is_tracepoint,
	};
	vec_push(&t->dst->events, made);
	t->events[i] = id + 1;
}

struct profile *profile_join(const struct profile *p, const struct profile *base, const char *prefix, uint32_t *base_events)
{
	struct profile *ret = profile_copy(p);
	struct profile_transfer t;
	bool are_single = p->events.len == 1 && base->events.len == 1;
	profile_transfer_init(&t, ret, base);
	profile_transfer_merge_origin(&t);
	for (uint32_t i = 0; i < base->events.len; i++) {
		const struct profile *named = are_single ? p : base;
		declare_base_event(&t, i, profile_event_name(named, i), prefix);
		if (base_events)
			base_events[i] = t.events[i] - 1;
	}
	carry_all(&t, &(struct change){}, false);
	ret->duration_ns = p->duration_ns;
	profile_transfer_deinit(&t);
	return ret;
}
