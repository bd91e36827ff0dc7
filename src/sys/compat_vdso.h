/*
 * The vdso that the kernel maps into 32-bit programs of x86-64: another image than ours.
 *
 * A child process has it mapped in place of its own, and hands it over. Needs CONFIG_CHECKPOINT_RESTORE. Thread-safe. Source:
 * arch_prctl(2), ARCH_MAP_VDSO_32.
 */
#pragma once
#include <stddef.h>

/* An ELF file, and what follows it in its last page, owned; NULL where the kernel gives none, or on another architecture. */
void *compat_vdso_read(size_t *ret_bytes);
