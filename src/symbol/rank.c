#include "symbol/rank.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "demangle/demangle.h"

/* Constructors and destructors come in variants (C1 C2 D0 D1 D2) that read alike: no need to demangle thousands. */
static bool reads_alike(const char *a, const char *b)
{
	size_t i = 0;
	while (a[i] && a[i] == b[i])
		i++;
	if (!a[i] && !b[i])
		return true;
	return a[0] == '_' && a[1] == 'Z' && i && (a[i - 1] == 'C' || a[i - 1] == 'D') && a[i] >= '0' && a[i] <= '5' &&
	       b[i] >= '0' && b[i] <= '5' && !strcmp(a + i + 1, b + i + 1);
}

static bool starts_as_old_syscall(const char *name)
{
	return !strncmp(name, "SyS", 3) || !strncmp(name, "compat_SyS", 10);
}

static bool better_name(const char *a, const char *b)
{
	size_t a_underscores = strspn(a, "_"), b_underscores = strspn(b, "_");
	if (a_underscores != b_underscores)
		return a_underscores < b_underscores;
	size_t a_length = strlen(a), b_length = strlen(b);
	if (a_length != b_length)
		return a_length > b_length;
	return starts_as_old_syscall(b) && !starts_as_old_syscall(a);
}

bool rank_better(const struct rank_candidate *a, const struct rank_candidate *b, bool demangle)
{
	if (!a->bytes != !b->bytes)
		return a->bytes;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return b->binding == STB_WEAK;
	if ((a->binding == STB_GLOBAL) != (b->binding == STB_GLOBAL))
		return a->binding == STB_GLOBAL;
	if (reads_alike(a->name, b->name))
		return false;
	if (!demangle || (!demangle_is_mangled(a->name) && !demangle_is_mangled(b->name)))
		return better_name(a->name, b->name);
	_cleanup_free_ char *a_shown = demangle_name(a->name), *b_shown = demangle_name(b->name);
	return better_name(a_shown ? a_shown : a->name, b_shown ? b_shown : b->name);
}
