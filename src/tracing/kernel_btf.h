/*
 * The running kernel's BTF, 6 MB, mapped from Linux 6.16 on, which avoids a copy. ERROR_UNSUPPORTED if the kernel has none.
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
