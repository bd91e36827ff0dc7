/*
 * The vdso that the kernel maps into 32-bit programs of x86-64: an image other than ours.
 *
 * A child process maps it in place of its own, and sends its bytes. Needs CONFIG_CHECKPOINT_RESTORE. Thread-safe. Source:
 * arch_prctl(2), ARCH_MAP_VDSO_32.
 */
#pragma once
#include <stddef.h>

/* An ELF file, with the rest of its last page, owned; NULL if the kernel provides none, or on another architecture. */
void *compat_vdso_read(size_t *ret_bytes);
