/*
 * The running kernel's own BTF, read where the kernel has it (mapped from Linux 6.16 on): 6 MB that need not be copied.
 * ERROR_UNSUPPORTED where it brings none.
 */
#pragma once
#include "base/filemap.h"
#include "record/btf.h"
#include "sys/sys.h"

struct kernel_btf {
	struct filemap file;
	struct btf btf;
};

struct strobe_error *kernel_btf_open(const struct sys *sys, struct kernel_btf *ret) _must_check_;
void kernel_btf_close(struct kernel_btf *k);
