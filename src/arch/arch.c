#include "arch/arch.h"

#include <linux/audit.h>
#include <stddef.h>
#include <string.h>

const struct arch *const arch_all[] = {
	&arch_x86_64, &arch_i386, &arch_aarch64, &arch_arm, &arch_riscv64, &arch_s390x, &arch_ppc64le, NULL,
};

const struct arch *arch_by_uname(const char *machine)
{
	if (!machine)
		return NULL;
	for (const struct arch *const *a = arch_all; *a; a++)
		for (const char *const *name = (*a)->uname_names; *name; name++)
			if (!strcmp(*name, machine))
				return *a;
	/* Families whose names carry a revision: armv5tel … armv7l (armv8l is a 32-bit process on a 64-bit kernel). */
	if (!strncmp(machine, "arm", 3))
		return &arch_arm;
	return NULL;
}

const struct arch *arch_by_elf(uint16_t e_machine, unsigned bits)
{
	for (const struct arch *const *a = arch_all; *a; a++)
		if ((*a)->e_machine == e_machine && (!bits || bits == (*a)->pointer_bytes * 8u))
			return *a;
	/* x32 programs are EM_X86_64 of class 32: the registers are those of x86_64. */
	for (const struct arch *const *a = arch_all; *a; a++)
		if ((*a)->e_machine == e_machine)
			return *a;
	return NULL;
}

const struct arch *arch_native(void)
{
#if defined(__x86_64__)
	return &arch_x86_64;
#elif defined(__i386__)
	return &arch_i386;
#elif defined(__aarch64__)
	return &arch_aarch64;
#elif defined(__arm__)
	return &arch_arm;
#elif defined(__riscv) && __riscv_xlen == 64
	return &arch_riscv64;
#elif defined(__s390x__)
	return &arch_s390x;
#elif defined(__powerpc64__)
	return &arch_ppc64le;
#else
	return NULL;
#endif
}

const struct arch *arch_or_native(const char *machine)
{
	return machine ? arch_by_uname(machine) : arch_native();
}

const char *arch_reg_name(const struct arch *a, unsigned reg)
{
	return reg < a->regs_nr ? a->regs[reg] : NULL;
}

uint32_t arch_audit_number(const struct arch *a)
{
	return a->e_machine | (a->pointer_bytes == 8 ? __AUDIT_ARCH_64BIT : 0) | (a->big_endian ? 0 : __AUDIT_ARCH_LE);
}
