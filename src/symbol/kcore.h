/*
 * The memory of the running kernel, which /proc/kcore shows as an ELF core file: code as it is, patched at boot and since.
 *
 * Reading it wants CAP_SYS_RAWIO, and a kernel that is not locked down. Source: proc(5), elf(5).
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define KCORE_PATH "/proc/kcore"

/* Copies n bytes at a kernel address; the message says what hinders it. path is KCORE_PATH, or a copy of it. */
struct strobe_error *kcore_read(const char *path, uint64_t addr, void *buf, size_t n) _must_check_;
