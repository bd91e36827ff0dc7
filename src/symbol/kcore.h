/*
 * The memory of the running kernel, which /proc/kcore presents as an ELF core file: code as executed, including patches at boot and later.
 *
 * Reading it requires CAP_SYS_RAWIO, and a kernel that is not locked down. Copies of its code with the lists of symbols and modules
 * are stored in the build ID cache in perf's layout, a folder per copy:
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

/* Copies n bytes at a kernel address; errors have the reason. path is KCORE_PATH, or a copy of it. */
struct strobe_error *kcore_read(const char *path, uint64_t addr, void *buf, size_t n) _must_check_;

/*
 * Writes a core file with the parts of some ranges that `kcore` has, page-aligned, to fd (of to_name). ERROR_NOT_FOUND: it has none of
 * them.
 */
struct kcore_range {
	uint64_t start, end;
};
struct strobe_error *kcore_write(const char *kcore, const struct kcore_range *ranges, size_t n, int fd,
				 const char *to_name) _must_check_;

/*
 * Writes the three files to dir, which is created, from `kcore` and the kallsyms and modules beside it. On failure dir is removed.
 */
struct strobe_error *kcore_copy(const char *dir, const char *kcore) _must_check_;
/* Removes such a folder, but not other files in it. */
void kcore_copy_remove(const char *dir);
/*
 * Adds kernel and modules to the cache `dir`: of `kcore`, and of kallsyms and modules that lie beside it; the build-id is that
 * of ../sys/kernel/notes. **ret_path is the folder, for the caller to free. If there is one of the same boot with the same
 * modules, it is used, and *ret_old is set.
 */
struct strobe_error *kcore_cache_add(const char *dir, const char *kcore, char **ret_path, bool *ret_old) _must_check_;
/*
 * The newest folder of a kernel loaded at base, the address of _text or _stext, for the caller to free; NULL: none.
 */
char *kcore_cache_find(const char *dir, const char *hex, uint64_t base);
