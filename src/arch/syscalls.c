#include "arch/syscalls.h"

#include <string.h>

/* An entry without a name of its own is called as the system call is. */
#define SYSCALL(number, name, entry) { number, name, entry },
static const struct arch_syscall x86_64[] = {
#include "arch/syscalls_x86_64.def"
};
#undef SYSCALL

const struct arch_syscall *arch_syscalls(const struct arch *a, size_t *ret_nr)
{
	bool known = a == &arch_x86_64;
	*ret_nr = known ? sizeof(x86_64) / sizeof(*x86_64) : 0;
	return known ? x86_64 : NULL;
}

const struct arch_syscall *arch_syscall_by_entry(const struct arch *a, const char *entry)
{
	size_t nr;
	const struct arch_syscall *table = arch_syscalls(a, &nr);
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(table[i].entry ? table[i].entry : table[i].name, entry))
			return &table[i];
	return NULL;
}
