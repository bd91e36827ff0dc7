#include "symbol/kallsyms_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#define PAGE UINT64_C(4096)

/* ADDRESS TYPE NAME[\t[MODULE]] */
struct line {
	uint64_t start;
	char type;
	const char *name, *module;
	size_t name_bytes, module_bytes;
};

static int hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_line(const char *at, const char *end, struct line *ret)
{
	const char *p = at;
	*ret = (struct line){};
	for (int digit; p < end && (digit = hex_value(*p)) >= 0; p++)
		ret->start = ret->start << 4 | (uint64_t)digit;
	if (p == at || p - at > 16 || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return false;
	ret->type = p[1];
	ret->name = p + 3;
	for (p = ret->name; p < end && (uint8_t)*p > ' '; p++)
		;
	ret->name_bytes = (size_t)(p - ret->name);
	ret->module = memchr(p, '[', (size_t)(end - p));
	const char *close = ret->module ? memchr(ret->module, ']', (size_t)(end - ret->module)) : NULL;
	ret->module_bytes = close ? (size_t)(close + 1 - ret->module) : 0;
	return ret->name_bytes > 0;
}

/* Those that end others: as in the list for addresses. */
static bool is_range(char type)
{
	return type && strchr("tTwWdDbB", type);
}

static bool is_code(char type)
{
	return type && strchr("tTwW", type);
}

struct search {
	const char *text, *end;
	const char *const *names;
	size_t names_nr;
	VEC(struct sort_pair) starts; /* address, offset of the line */
	bool any, any_address;
};

static void take_line(struct search *s, const char *at, const struct line *l, kallsyms_places *ret)
{
	s->any = true;
	s->any_address |= l->start != 0;
	if (is_range(l->type))
		vec_push(&s->starts, ((struct sort_pair){ l->start, (uint64_t)(at - s->text) }));
	for (size_t i = 0; i < s->names_nr; i++)
		if (!strncmp(s->names[i], l->name, l->name_bytes) && !s->names[i][l->name_bytes])
			vec_push(ret, ((struct kallsyms_place){ .name_index = i, .start = l->start, .type = l->type,
								.module = l->module, .module_bytes = l->module_bytes }));
}

static bool is_of_module(const struct search *s, size_t offset, const struct kallsyms_place *place)
{
	const char *at = s->text + offset, *end = memchr(at, '\n', (size_t)(s->end - at));
	struct line l;
	return read_line(at, end ? end : s->end, &l) && l.module_bytes == place->module_bytes &&
	       (!l.module_bytes || !memcmp(l.module, place->module, l.module_bytes));
}

static void find_end(const struct search *s, struct kallsyms_place *place)
{
	size_t from = 0, to = s->starts.len;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (s->starts.data[middle].key > place->start)
			to = middle;
		else
			from = middle + 1;
	}
	uint64_t page = ((place->start + PAGE - 1) & ~(PAGE - 1)) + PAGE;
	if (page < place->start)
		page = UINT64_MAX;
	bool is_followed = from < s->starts.len;
	uint64_t next = is_followed ? s->starts.data[from].key : page;
	place->end = is_followed && (next < page || is_of_module(s, s->starts.data[from].value, place)) ? next : page;
}

static int compare_places(const void *a, const void *b)
{
	const struct kallsyms_place *x = a, *y = b;
	if (x->name_index != y->name_index)
		return x->name_index < y->name_index ? -1 : 1;
	if (is_code(x->type) != is_code(y->type))
		return is_code(x->type) ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

bool kallsyms_find_names(const char *text, size_t bytes, const char *const *names, size_t names_nr, kallsyms_places *ret)
{
	struct search s = { .text = text, .end = text + bytes, .names = names, .names_nr = names_nr };
	size_t before = ret->len;
	struct line l;
	for (const char *at = text, *end; at < s.end; at = end + (end < s.end)) {
		end = memchr(at, '\n', (size_t)(s.end - at));
		if (!end)
			end = s.end;
		if (read_line(at, end, &l))
			take_line(&s, at, &l, ret);
	}
	sort_pairs(s.starts.data, s.starts.len);
	for (size_t i = before; i < ret->len; i++)
		find_end(&s, &ret->data[i]);
	if (ret->len > before)
		qsort(ret->data + before, ret->len - before, sizeof(*ret->data), compare_places);
	vec_deinit(&s.starts);
	return !s.any || s.any_address;
}
