#include "base/strtab.h"

#include <string.h>

#include "base/hash.h"

struct key {
	const char *s;
	size_t n;
};

static bool equals(const void *table, uint32_t id, const void *key)
{
	const struct strtab *t = table;
	const struct key *k = key;
	return t->lengths.data[id] == k->n && !memcmp(t->strings.data[id], k->s, k->n);
}

void strtab_init(struct strtab *t)
{
	memset(t, 0, sizeof(*t));
	arena_init(&t->arena);
	strtab_add_n(t, "", 0);
}

void strtab_deinit(struct strtab *t)
{
	arena_deinit(&t->arena);
	idset_deinit(&t->index);
	vec_deinit(&t->strings);
	vec_deinit(&t->lengths);
}

str_id strtab_add(struct strtab *t, const char *s)
{
	return strtab_add_n(t, s, strlen(s));
}

static str_id add(struct strtab *t, const char *s, size_t n, uint64_t hash, bool is_borrowed)
{
	struct key k = { s, n };
	uint32_t id = idset_intern(&t->index, hash, equals, t, &k, t->strings.len);
	if (id == t->strings.len) {
		vec_push(&t->strings, is_borrowed ? s : arena_strndup(&t->arena, s, n));
		vec_push(&t->lengths, (uint32_t)n);
	}
	return id;
}

str_id strtab_add_n(struct strtab *t, const char *s, size_t n)
{
	return add(t, s, n, hash_bytes(s, n), false);
}

str_id strtab_add_borrowed(struct strtab *t, const char *s)
{
	return strtab_add_known(t, s, strlen(s), hash_str(s));
}

str_id strtab_add_known(struct strtab *t, const char *s, size_t n, uint64_t hash)
{
	return add(t, s, n, hash, true);
}

void strtab_expect(struct strtab *t, uint32_t more)
{
	vec_reserve(&t->strings, t->strings.len + more);
	vec_reserve(&t->lengths, t->lengths.len + more);
	idset_reserve(&t->index, (uint32_t)t->strings.len + more);
}

str_id strtab_find(const struct strtab *t, const char *s)
{
	struct key k = { s, strlen(s) };
	return idset_find(&t->index, hash_bytes(k.s, k.n), equals, t, &k);
}
