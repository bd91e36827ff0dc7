#include "arch/syscalls.h"

#include <string.h>

/* An entry without a name of its own is called as the system call is. */
#define SYSCALL(number, name, entry) { number, name, entry },
static const struct arch_syscall x86_64[] = {
#include "arch/syscalls_x86_64.def"
};
static const struct arch_syscall i386[] = {
#include "arch/syscalls_i386.def"
};
static const struct arch_syscall aarch64[] = {
#include "arch/syscalls_aarch64.def"
};
#undef SYSCALL

#define NR_OF(array) (sizeof(array) / sizeof(*(array)))
static const struct {
	const struct arch *arch;
	const struct arch_syscall *table;
	size_t nr;
} tables[] = {
	{ &arch_x86_64, x86_64, NR_OF(x86_64) },
	{ &arch_i386, i386, NR_OF(i386) },
	{ &arch_aarch64, aarch64, NR_OF(aarch64) },
};

const struct arch_syscall *arch_syscalls(const struct arch *a, size_t *ret_nr)
{
	for (size_t i = 0; i < NR_OF(tables); i++)
		if (tables[i].arch == a) {
			*ret_nr = tables[i].nr;
			return tables[i].table;
		}
	*ret_nr = 0;
	return NULL;
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
