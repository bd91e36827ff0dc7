#include "analysis/lock_choice.h"

#include <string.h>

#include "base/text.h"

static void split(struct arena *arena, const char *list, lock_word_list *ret)
{
	if (!list)
		return;
	for (const char *at = list + strspn(list, ", "); *at; at += strspn(at, ", ")) {
		size_t n = strcspn(at, ", ");
		vec_push(ret, arena_strndup(arena, at, n));
		at += n;
	}
}

/* A hexadecimal address, with or without 0x, or else a name. */
static void add_lock(struct lock_choice *c, const char *word)
{
	uint64_t address;
	const char *digits = text_has_prefix(word, "0x") ? word + 2 : word;
	size_t n = strlen(digits);
	if (n && text_hex(digits, n, &address) == n)
		vec_push(&c->addresses, address);
	else
		vec_push(&c->names, word);
}

struct strobe_error *lock_choice_parse(const struct lock_question *q, struct lock_choice *ret)
{
	lock_word_list locks = {};
	if (q->kinds)
		TRY(lock_kinds_parse(q->kinds, &ret->kinds));
	split(&ret->arena, q->locks, &locks);
	for (size_t i = 0; i < locks.len; i++)
		add_lock(ret, locks.data[i]);
	vec_deinit(&locks);
	split(&ret->arena, q->functions, &ret->functions);
	split(&ret->arena, q->cgroups, &ret->cgroups);
	return NULL;
}

void lock_choice_deinit(struct lock_choice *c)
{
	vec_deinit(&c->kinds);
	vec_deinit(&c->addresses);
	vec_deinit(&c->names);
	vec_deinit(&c->functions);
	vec_deinit(&c->cgroups);
	arena_deinit(&c->arena);
}

struct strobe_error *lock_choice_find(struct lock_choice *c, const struct lock_symbols *symbols)
{
	for (size_t i = 0; i < c->names.len; i++) {
		uint64_t address;
		if (!lock_symbols_address(symbols, c->names.data[i], &address))
			return error_create(ERROR_NOT_FOUND, "-L: the kernel has no symbol '%s'; addresses are hexadecimal",
					    c->names.data[i]);
		vec_push(&c->addresses, address);
	}
	vec_clear(&c->names);
	return NULL;
}

bool lock_choice_has(const struct lock_choice *c, uint64_t address, uint32_t flags)
{
	if (c->kinds.len && !lock_kinds_have(&c->kinds, flags))
		return false;
	for (size_t i = 0; i < c->addresses.len; i++)
		if (c->addresses.data[i] == address)
			return true;
	return !c->addresses.len;
}

bool lock_choice_has_stack(const struct lock_choice *c, const struct lock_symbols *symbols, const uint64_t *stack, size_t n)
{
	for (size_t i = 0; i < n && c->functions.len; i++) {
		const struct symbol *s = lock_symbols_at(symbols, stack[i]);
		for (size_t k = 0; s && k < c->functions.len; k++)
			if (strstr(s->raw_name, c->functions.data[k]))
				return true;
	}
	return !c->functions.len;
}
