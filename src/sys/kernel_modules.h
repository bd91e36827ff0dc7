/*
 * Files of the running kernel's modules, as modules.dep of its release lists them. Source: depmod(8), modules.dep(5).
 */
#pragma once
#include "sys/sys.h"

struct kernel_modules {
	char *release;
	struct strbuf deps; /* modules.dep; empty if it cannot be read */
};

void kernel_modules_load(const struct sys *sys, struct kernel_modules *ret);
void kernel_modules_deinit(struct kernel_modules *m);
/*
 * "/lib/modules/RELEASE/kernel/fs/xfs/xfs.ko", owned; "[xfs]" if the file is unknown. A file's name may have '-' where the module's
 * has '_'.
 */
char *kernel_modules_path(const struct kernel_modules *m, const char *name, size_t bytes);
