/*
 * The memory of the running kernel, which /proc/kcore shows as an ELF core file: code as it is, patched at boot and since.
 *
 * Reading it requires CAP_SYS_RAWIO, and a kernel that is not locked down. Copies of its code with the lists of its symbols and
 * modules are kept by the build-id cache as perf keeps them, a folder for each time that one was made:
 *
 *	DIR/[kernel.kcore]/HEX/YYYYMMDDhhmmsscc/kcore, kallsyms, modules
 *
 * Source: proc(5), elf(5), perf-buildid-cache(1) and what perf leaves on disk.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define KCORE_PATH "/proc/kcore"

/* Copies n bytes at a kernel address; the message says what hinders it. path is KCORE_PATH, or a copy of it. */
struct strobe_error *kcore_read(const char *path, uint64_t addr, void *buf, size_t n) _must_check_;

/*
 * Writes a core file with what `kcore` holds of some ranges, each on pages of its own, to fd (of to_name). ERROR_NOT_FOUND where
 * it holds none of them.
 */
struct kcore_range {
	uint64_t start, end;
};
struct strobe_error *kcore_write(const char *kcore, const struct kcore_range *ranges, size_t n, int fd,
				 const char *to_name) _must_check_;

/*
 * Writes the three files to dir, which is made: of `kcore`, and of kallsyms and modules that lie beside it. Where it fails nothing is
 * left.
 */
struct strobe_error *kcore_copy(const char *dir, const char *kcore) _must_check_;
/* Removes such a folder; what else lies in it stays. */
void kcore_copy_remove(const char *dir);
/*
 * Adds kernel and modules to the cache `dir`: of `kcore`, and of kallsyms and modules that lie beside it; the build-id is that
 * of ../sys/kernel/notes. *ret_path is the folder, for the caller to free. Where there is one of the same boot with the same
 * modules already it stays the only one, and *ret_old is set.
 */
struct strobe_error *kcore_cache_add(const char *dir, const char *kcore, char **ret_path, bool *ret_old) _must_check_;
/*
 * The newest folder of a kernel that lay at base, the address of _text or _stext; NULL where there is none. For the caller to
 * free.
 */
char *kcore_cache_find(const char *dir, const char *hex, uint64_t base);
