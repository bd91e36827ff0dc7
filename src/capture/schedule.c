#include "capture/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

struct strobe_error *delay_parse(const char *text, struct delay_schedule *ret)
{
	*ret = (struct delay_schedule){};
	int64_t ms;
	if (text_to_i64(text, &ms)) {
		if (ms == -1) {
			ret->never = true;
			return NULL;
		}
		if (ms < 0)
			return error_create(ERROR_USAGE, "invalid delay \"%s\": expected milliseconds, -1, or ranges like 10-20,30-40",
					    text);
		struct delay_range r = { .start_ms = (uint64_t)ms };
		if (ms)
			vec_push(&ret->ranges, r);
		return NULL;
	}
	_cleanup_free_ char *copy = xstrdup(text);
	char *save = NULL;
	uint64_t last = 0;
	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		char *dash = strchr(word, '-');
		struct delay_range r;
		if (dash)
			*dash++ = '\0';
		if (!dash || !text_to_u64(word, &r.start_ms) || !text_to_u64(dash, &r.end_ms)) {
			vec_deinit(&ret->ranges);
			return error_create(ERROR_USAGE, "invalid delay \"%s\": expected milliseconds, -1, or ranges like 10-20,30-40",
					    text);
		}
		if (r.end_ms <= r.start_ms || (ret->ranges.len && r.start_ms <= last)) {
			vec_deinit(&ret->ranges);
			return error_create(ERROR_USAGE, "\"%s\": ranges must be ascending and must not touch", text);
		}
		last = r.end_ms;
		vec_push(&ret->ranges, r);
	}
	if (!ret->ranges.len)
		return error_create(ERROR_USAGE, "no range in \"%s\"", text);
	return NULL;
}

bool delay_edge(const struct delay_schedule *d, size_t edge, uint64_t *ret_ms)
{
	if (edge / 2 >= d->ranges.len)
		return false;
	const struct delay_range *range = &d->ranges.data[edge / 2];
	*ret_ms = edge % 2 ? range->end_ms : range->start_ms;
	return !(edge % 2) || range->end_ms;
}

static bool overlaps(const sys_cpus *a, const sys_cpus *b)
{
	for (size_t i = 0; i < a->len; i++)
		if (sys_cpus_has(b, a->data[i]))
			return true;
	return false;
}

/* A thread for the recorded CPUs of the list, if any. */
static struct strobe_error *add_mask(struct reader_masks *m, const char *read, const char *affinity,
				     const sys_cpus *used)
{
	struct reader_mask mask = {};
	sys_cpus all = {};
	struct strobe_error *err = sys_cpus_parse(read, &all);
	for (size_t i = 0; !err && i < all.len; i++)
		if (sys_cpus_has(used, all.data[i]))
			vec_push(&mask.read, all.data[i]);
	vec_deinit(&all);
	if (!err && affinity)
		err = sys_cpus_parse(affinity, &mask.affinity);
	for (size_t i = 0; !err && i < m->masks.len; i++) {
		if (overlaps(&m->masks.data[i].read, &mask.read))
			err = error_create(ERROR_USAGE, "the CPUs \"%s\" are read by an earlier thread too", read);
		else if (affinity && overlaps(&m->masks.data[i].affinity, &mask.affinity))
			err = error_create(ERROR_USAGE, "the affinity \"%s\" overlaps that of an earlier thread",
					   affinity);
	}
	if (err || !mask.read.len) {
		vec_deinit(&mask.read);
		vec_deinit(&mask.affinity);
		return err;
	}
	vec_push(&m->masks, mask);
	return NULL;
}

static struct strobe_error *add_lists(struct reader_masks *m, const char *const *lists, size_t n, const sys_cpus *used)
{
	for (size_t i = 0; i < n; i++)
		TRY(add_mask(m, lists[i], lists[i], used));
	return NULL;
}

static struct strobe_error *predefined(const char *text, const struct sys *sys, const sys_cpus *used,
				       struct reader_masks *m, bool *ret_known)
{
	struct sys_topology t = {};
	*ret_known = true;
	if (!strcmp(text, "cpu")) {
		for (size_t i = 0; i < used->len; i++) {
			_cleanup_free_ char *cpu = xasprintf("%u", used->data[i]);
			TRY(add_mask(m, cpu, cpu, used));
		}
		return NULL;
	}
	bool core = !strcmp(text, "core"), package = !strcmp(text, "package"), numa = !strcmp(text, "numa");
	*ret_known = core || package || numa;
	if (!*ret_known)
		return NULL;
	TRY(sys_topology_read(&t, sys));
	struct strobe_error *err = NULL;
	if (core)
		err = add_lists(m, t.cores.data, t.cores.len, used);
	else if (package)
		err = add_lists(m, t.packages.data, t.packages.len, used);
	for (size_t i = 0; numa && !err && i < t.nodes.len; i++)
		err = add_mask(m, t.nodes.data[i].cpus, t.nodes.data[i].cpus, used);
	sys_topology_deinit(&t);
	return err;
}

static struct strobe_error *parse_masks(const char *text, const struct sys *sys, const sys_cpus *used,
					struct reader_masks *m)
{
	bool known;
	TRY(predefined(text, sys, used, m, &known));
	_cleanup_free_ char *copy = xstrdup(text);
	char *save = NULL;
	for (char *word = known ? NULL : strtok_r(copy, ":", &save); word; word = strtok_r(NULL, ":", &save)) {
		char *slash = strchr(word, '/');
		if (slash)
			*slash++ = '\0';
		TRY(add_mask(m, word, slash, used));
	}
	if (!m->masks.len)
		return error_create(ERROR_USAGE, "no thread of \"%s\" reads a recorded CPU", text);
	/* A ring without a reader would fill up and lose. */
	for (size_t i = 0; i < used->len; i++) {
		bool read = false;
		for (size_t k = 0; k < m->masks.len; k++)
			read |= sys_cpus_has(&m->masks.data[k].read, used->data[i]);
		if (!read)
			return error_create(ERROR_USAGE,
					    "no thread of \"%s\" reads CPU %u: add it, or exclude it with -C", text,
					    used->data[i]);
	}
	return NULL;
}

struct strobe_error *reader_masks_parse(const char *text, const struct sys *sys, const sys_cpus *used,
					struct reader_masks *ret)
{
	*ret = (struct reader_masks){};
	struct strobe_error *err = parse_masks(text && *text ? text : "cpu", sys, used, ret);
	if (err)
		reader_masks_deinit(ret);
	return err;
}

void reader_masks_deinit(struct reader_masks *m)
{
	for (size_t i = 0; i < m->masks.len; i++) {
		vec_deinit(&m->masks.data[i].read);
		vec_deinit(&m->masks.data[i].affinity);
	}
	vec_deinit(&m->masks);
}
