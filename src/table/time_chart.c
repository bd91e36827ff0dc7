#include "table/time_chart.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Minimum run time of a row at first: then a tenth of it, until there are enough rows. */
#define RUNNING_NS 10000000u
#define IO_BYTES   1048576u

void time_chart_init(struct time_chart *c)
{
	*c = (struct time_chart){};
	arena_init(&c->arena);
}

void time_chart_deinit(struct time_chart *c)
{
	for (size_t i = 0; i < c->tasks.len; i++) {
		struct time_task *t = &c->tasks.data[i];
		for (size_t j = 0; j < t->rows.len; j++) {
			vec_deinit(&t->rows.data[j].spans);
			vec_deinit(&t->rows.data[j].ios);
		}
		vec_deinit(&t->rows);
	}
	vec_deinit(&c->tasks);
	vec_deinit(&c->power);
	vec_deinit(&c->wakes);
	vec_deinit(&c->stacks);
	u64map_deinit(&c->by_pid);
	arena_deinit(&c->arena);
}

struct time_task *time_chart_task(struct time_chart *c, int32_t pid)
{
	uint64_t *at = u64map_put(&c->by_pid, (uint32_t)pid, NULL);
	if (!*at) {
		struct time_task t = { .pid = pid };
		vec_push(&c->tasks, t);
		*at = c->tasks.len;
	}
	return &c->tasks.data[*at - 1];
}

const struct time_task *time_chart_find(const struct time_chart *c, int32_t pid)
{
	const uint64_t *at = u64map_get(&c->by_pid, (uint32_t)pid);
	return at ? &c->tasks.data[*at - 1] : NULL;
}

struct time_row *time_task_row(struct time_task *t)
{
	if (!t->current) {
		struct time_row r = {};
		vec_push(&t->rows, r);
		t->current = (uint32_t)t->rows.len;
	}
	return &t->rows.data[t->current - 1];
}

void time_chart_name(struct time_chart *c, int32_t pid, const char *name)
{
	struct time_task *t = time_chart_task(c, pid);
	for (size_t i = 0; i < t->rows.len; i++) {
		struct time_row *r = &t->rows.data[i];
		if (r->name && strcmp(r->name, name))
			continue;
		if (!r->name)
			r->name = arena_strdup(&c->arena, name);
		t->current = (uint32_t)i + 1;
		return;
	}
	struct time_row r = { .name = arena_strdup(&c->arena, name) };
	vec_push(&t->rows, r);
	t->current = (uint32_t)t->rows.len;
}

struct time_stack *time_chart_stack(struct time_chart *c, uint32_t frames_nr)
{
	struct time_stack *s = arena_alloc(&c->arena, sizeof(*s) + frames_nr * sizeof(*s->frames));
	s->nr = frames_nr;
	s->number = (uint32_t)c->stacks.len;
	vec_push(&c->stacks, s);
	return s;
}

/* ---- what is shown ---- */

static bool is_named(const struct time_chart_choice *choice, const struct time_task *t, const struct time_row *r)
{
	uint64_t pid;
	for (size_t i = 0; i < choice->names_nr; i++) {
		if (text_to_u64(choice->names[i], &pid) && pid && (int64_t)pid == t->pid)
			return true;
		if (r->name && !strcmp(choice->names[i], r->name))
			return true;
	}
	return false;
}

static uint32_t show(struct time_chart *c, const struct time_chart_choice *choice, uint64_t least)
{
	uint32_t n = 0;
	for (size_t i = 0; i < c->tasks.len; i++) {
		struct time_task *t = &c->tasks.data[i];
		for (size_t j = 0; j < t->rows.len; j++) {
			struct time_row *r = &t->rows.data[j];
			if (choice->names)
				r->is_shown = is_named(choice, t, r);
			else
				r->is_shown = (c->ios ? r->bytes : r->running_ns) >= least;
			if (!r->end_ns)
				r->end_ns = t->end_ns ? t->end_ns : c->last_ns;
			n += r->is_shown;
		}
	}
	return n;
}

void time_chart_show_all(struct time_chart *c)
{
	for (size_t i = 0; i < c->tasks.len; i++)
		for (size_t j = 0; j < c->tasks.data[i].rows.len; j++)
			c->tasks.data[i].rows.data[j].is_shown = true;
}

static int compare_tasks(const void *pa, const void *pb)
{
	const struct time_task *a = pa, *b = pb;
	if (a->ppid != b->ppid)
		return a->ppid < b->ppid ? -1 : 1;
	return a->pid < b->pid ? -1 : a->pid > b->pid;
}

uint32_t time_chart_choose(struct time_chart *c, const struct time_chart_choice *choice)
{
	uint64_t least = c->ios ? IO_BYTES : RUNNING_NS;
	uint32_t n;
	if (c->tasks.len)
		qsort(c->tasks.data, c->tasks.len, sizeof(*c->tasks.data), compare_tasks);
	for (size_t i = 0; i < c->tasks.len; i++)
		*u64map_put(&c->by_pid, (uint32_t)c->tasks.data[i].pid, NULL) = i + 1;
	do {
		n = show(c, choice, least);
		least /= 10;
	} while (!choice->names && least && n < choice->rows_min);
	if (choice->rows_min)
		return n;
	for (size_t i = 0; i < c->tasks.len; i++)
		for (size_t j = 0; j < c->tasks.data[i].rows.len; j++)
			c->tasks.data[i].rows.data[j].is_shown = false;
	return 0;
}
