/*
 * System calls by number and name, for each architecture that has a table (*.def). All is const.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"

struct arch_syscall {
	uint16_t number;
	const char *name;  /* as programs and man pages call it: "stat" */
	const char *entry; /* as the kernel's function and tracepoints are called ("newstat"); NULL: like name */
};

/* By number; NULL and 0 for an architecture without a table. */
const struct arch_syscall *arch_syscalls(const struct arch *a, size_t *ret_nr);
/* By the kernel's name of the function; NULL: none. */
const struct arch_syscall *arch_syscall_by_entry(const struct arch *a, const char *entry);
