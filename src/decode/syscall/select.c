/* -e lists: names, globs, classes, numbers, regular expressions, negation. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "arch/syscalls.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "decode/syscall.h"

static const struct {
	const char *name;
	uint32_t bit;
} classes[] = {
#define X(id, text) {text, SYSCALL_##id},
	SYSCALL_CLASSES(X)
#undef X
};

#define NR_OF(array) (sizeof(array) / sizeof(*(array)))

/* "file" or "%file"; "%%stat" is the class with the name "%stat". 0: none. */
static uint32_t class_of(const char *word)
{
	if (*word == '%')
		word++;
	for (size_t i = 0; i < NR_OF(classes); i++)
		if (!strcmp(classes[i].name, word))
			return classes[i].bit;
	return 0;
}

static void add(struct syscall_set *s, uint64_t number)
{
	if (number < SYSCALL_NUMBERS)
		s->bits[number / 64] |= 1ULL << number % 64;
}

static bool has_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

static bool name_matches(const struct arch_syscall *s, const char *pattern)
{
	return text_glob(pattern, s->name) || (s->entry && text_glob(pattern, s->entry));
}

/* Whether any architecture has a call of that name. */
static bool is_name_anywhere(const char *name)
{
	for (size_t k = 0; arch_all[k]; k++) {
		size_t nr;
		const struct arch_syscall *list = arch_syscalls(arch_all[k], &nr);
		for (size_t i = 0; i < nr; i++)
			if (has_glob(name)
				    ? name_matches(&list[i], name)
				    : !strcmp(list[i].name, name) || (list[i].entry && !strcmp(list[i].entry, name)))
				return true;
	}
	return false;
}

bool syscall_is_known_word(const char *word)
{
	uint64_t number;
	return *word == '%' || *word == '/' || class_of(word) || !strcmp(word, "all") || !strcmp(word, "none") ||
	       text_to_u64(word, &number) || is_name_anywhere(*word == '?' && word[1] ? word + 1 : word);
}

static struct strobe_error *unknown(const struct syscall_table *t, const char *word)
{
	const struct syscall_desc *const *all;
	size_t nr = syscall_table_all(t, &all);
	const char **names = xcalloc(nr + NR_OF(classes), sizeof(*names));
	size_t n = 0;
	if (*word == '%') {
		for (size_t i = 0; i < NR_OF(classes); i++)
			names[n++] = classes[i].name;
	} else {
		for (size_t i = 0; i < nr; i++)
			names[n++] = all[i]->name;
	}
	const char *near = text_nearest(word + (*word == '%'), names, n);
	free(names);
	if (*word == '%')
		return error_create(ERROR_USAGE,
				    near ? "unknown system call class '%s': did you mean '%%%s'?"
					 : "unknown system call class '%s'",
				    word, near);
	return error_create(ERROR_USAGE,
			    near ? "unknown system call '%s': did you mean '%s'?"
				 : "unknown system call '%s'",
			    word, near);
}

static struct strobe_error *add_regex(const struct syscall_table *t, const char *pattern, struct syscall_set *set)
{
	const struct syscall_desc *const *all;
	size_t nr = syscall_table_all(t, &all);
	regex_t re;
	if (regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB))
		return error_create(ERROR_USAGE, "invalid regular expression '/%s'", pattern);
	for (size_t i = 0; i < nr; i++)
		if (!regexec(&re, all[i]->name, 0, NULL, 0))
			add(set, all[i]->number);
	regfree(&re);
	return NULL;
}

static struct strobe_error *add_word(const struct syscall_table *t, const char *word, struct syscall_set *set)
{
	const struct syscall_desc *const *all;
	size_t nr = syscall_table_all(t, &all);
	bool may_lack = *word == '?' && word[1];
	uint64_t number;
	if (*word == '!')
		return error_create(ERROR_USAGE, "'!' negates the whole list and must precede its first name, not '%s'",
				    word + 1);
	if (may_lack)
		word++;
	if (*word == '/')
		return add_regex(t, word + 1, set);
	if (text_to_u64(word, &number)) {
		if (number >= SYSCALL_NUMBERS && !may_lack)
			return error_create(ERROR_USAGE, "no system call has the number %s", word);
		add(set, number);
		return NULL;
	}
	bool is_all = !strcmp(word, "all"), is_none = !strcmp(word, "none");
	const struct syscall_desc *d = syscall_table_find(t, word);
	uint32_t class = d ? 0 : class_of(word);
	bool found = d || class || is_all || is_none;
	if (d)
		add(set, d->number);
	for (size_t i = 0; i < nr && !d; i++) {
		bool match = is_all || (all[i]->classes & class) ||
			     (has_glob(word) && (text_glob(word, all[i]->name) || text_glob(word, all[i]->entry)));
		if (match)
			add(set, all[i]->number);
		found |= match;
	}
	return found || may_lack || is_name_anywhere(word) ? NULL : unknown(t, word);
}

struct strobe_error *syscall_select(const struct syscall_table *t, const char *list, struct syscall_set *ret)
{
	*ret = (struct syscall_set){};
	if (text_has_prefix(list, "trace="))
		list += strlen("trace=");
	bool negated = *list == '!';
	list += negated;
	_cleanup_strbuf_ struct strbuf word = {};
	while (*list) {
		size_t n = *list == '/' ? strlen(list) : strcspn(list, ",");
		strbuf_reset(&word);
		strbuf_add(&word, list, n);
		if (n)
			TRY(add_word(t, strbuf_str(&word), ret));
		list += n;
		list += *list == ',';
	}
	for (size_t i = 0; i < NR_OF(ret->bits) && negated; i++)
		ret->bits[i] = ~ret->bits[i];
	return NULL;
}
