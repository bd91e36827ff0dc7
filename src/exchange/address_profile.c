#include "exchange/address_profile.h"

#include <string.h>

void address_profile_init(struct address_profile *a)
{
	*a = (struct address_profile){ .p = profile_create() };
	a->p->origin.events_are_values = true;
}

struct address_stack *address_profile_stack(struct address_profile *a)
{
	struct address_stack s = { .first = (uint32_t)a->addresses.len };
	vec_push(&a->stacks, s);
	return &vec_last(&a->stacks);
}

void address_profile_push(struct address_profile *a, uint64_t address)
{
	vec_push(&a->addresses, address);
	vec_last(&a->stacks).nr++;
}

/* ---- mappings ---- */

struct words {
	const char *at, *end;
};

static bool next_word(struct words *w, const char **ret, size_t *ret_n)
{
	while (w->at < w->end && (*w->at == ' ' || *w->at == '\t'))
		w->at++;
	*ret = w->at;
	while (w->at < w->end && *w->at != ' ' && *w->at != '\t' && *w->at != '\r')
		w->at++;
	*ret_n = (size_t)(w->at - *ret);
	return *ret_n != 0;
}

/* Hexadecimal, with or without 0x; *at is moved behind it. */
static bool take_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *s = *at;
	if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	const char *first = s;
	*ret = 0;
	for (; s < end && s - first < 16; s++) {
		int digit = *s >= '0' && *s <= '9' ? *s - '0' : *s >= 'a' && *s <= 'f' ? *s - 'a' + 10 :
			    *s >= 'A' && *s <= 'F' ? *s - 'A' + 10 : -1;
		if (digit < 0)
			break;
		*ret = *ret << 4 | (uint64_t)digit;
	}
	*at = s;
	return s > first;
}

static bool take_range(const char *s, size_t n, struct profile_mapping *m)
{
	const char *end = s + n;
	if (!take_hex(&s, end, &m->start) || s == end || *s != '-')
		return false;
	s++;
	return take_hex(&s, end, &m->end) && (s == end || *s == ':');
}

static bool is_permissions(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!memchr("-rwxps", s[i], 6))
			return false;
	return n >= 3 && n <= 5;
}

static void add_mapping(struct address_profile *a, struct profile_mapping m, const char *path, size_t path_n)
{
	struct profile *p = a->p;
	m.path = strtab_add_n(&p->strings, path, path_n);
	const char *slash = memrchr(path, '/', path_n);
	m.name = slash ? strtab_add_n(&p->strings, slash + 1, (size_t)(path + path_n - slash - 1)) : m.path;
	m.space = SPACE_USER;
	m.order = (uint32_t)a->mappings.len;
	vec_push(&a->mappings, profile_mapping(p, &m));
}

void address_profile_map_line(struct address_profile *a, const char *line, size_t n)
{
	struct words w = { line, line + n };
	struct profile_mapping m = {};
	const char *word, *path = "";
	size_t word_n, path_n = 0;
	if (!next_word(&w, &word, &word_n) || !take_range(word, word_n, &m) || m.end <= m.start)
		return;
	bool has_word = next_word(&w, &word, &word_n);
	if (has_word && is_permissions(word, word_n)) {
		if (!memchr(word, 'x', word_n))
			return; /* no code */
		has_word = next_word(&w, &word, &word_n);
		const char *at = word;
		bool is_long = has_word && take_hex(&at, word + word_n, &m.offset) && at == word + word_n;
		/* offset, device, inode */
		for (unsigned i = 0; is_long && i < 3; i++)
			has_word = next_word(&w, &word, &word_n);
	}
	if (has_word)
		path = word, path_n = word_n;
	while (has_word && next_word(&w, &word, &word_n)) {
		const char *at = word + 2;
		if (word_n > 3 && !memcmp(word, "(@", 2))
			(void)take_hex(&at, word + word_n, &m.offset);
		else
			m.build_id = strtab_add_n(&a->p->strings, word, word_n);
	}
	add_mapping(a, m, path, path_n);
}

/* ---- the end ---- */

void address_profile_drop_doubled_leaves(struct address_profile *a)
{
	for (size_t i = 0; i < a->stacks.len; i++) {
		struct address_stack *s = &a->stacks.data[i];
		uint64_t *at = a->addresses.data + s->first;
		if (s->nr < 2 || at[0] != at[1] + 1)
			continue;
		at[1] = at[0]; /* the stack begins one later, with the leaf */
		s->first++;
		s->nr--;
	}
}

static frame_id make_frame(struct address_profile *a, uint64_t address)
{
	struct profile_frame f = {
		.mapping = PROFILE_NONE,
		.function = PROFILE_NONE,
		.addr = address,
		.ip = address,
		.space = SPACE_USER,
	};
	for (size_t i = 0; i < a->mappings.len; i++) {
		const struct profile_mapping *m = &a->p->mappings.data[a->mappings.data[i]];
		if (address >= m->start && address < m->end)
			f.mapping = a->mappings.data[i];
	}
	return profile_frame(a->p, &f);
}

static void add_rows(struct address_profile *a, const struct address_stack *s, uint32_t bytes_column)
{
	struct profile *p = a->p;
	stack_id stack = PROFILE_NONE;
	for (uint32_t i = s->nr; i--;)
		stack = profile_stack(p, stack, make_frame(a, a->addresses.data[s->first + i]));
	uint64_t label = bytes_column == PROFILE_NONE ? 0 : s->bytes;
	labels_id labels = profile_labels(p, &label);
	for (uint32_t e = 0; e < p->events.len && e < ADDRESS_VALUES_MAX; e++)
		if (s->values[e])
			profile_add(p, stack, labels, e, (uint64_t)s->values[0], (uint64_t)s->values[e], 0);
}

struct profile *address_profile_finish(struct address_profile *a)
{
	uint32_t bytes_column = PROFILE_NONE;
	for (size_t i = 0; i < a->stacks.len; i++)
		if (a->stacks.data[i].bytes)
			bytes_column = profile_column(a->p, "bytes", COLUMN_I64);
	for (size_t i = 0; i < a->stacks.len; i++)
		add_rows(a, &a->stacks.data[i], bytes_column);
	struct profile *p = a->p;
	a->p = NULL;
	address_profile_abandon(a);
	return p;
}

void address_profile_abandon(struct address_profile *a)
{
	profile_destroy(a->p);
	vec_deinit(&a->addresses);
	vec_deinit(&a->stacks);
	vec_deinit(&a->mappings);
}
