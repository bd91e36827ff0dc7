#include "tracing/kernel_btf.h"

#include "base/cleanup.h"

struct strobe_error *kernel_btf_open(const struct sys *sys, struct kernel_btf *ret)
{
	_cleanup_free_ char *path = sys_path(sys, "/sys/kernel/btf/vmlinux");
	*ret = (struct kernel_btf){};
	struct strobe_error *err = filemap_open(&ret->file, path);
	if (error_is(err, ERROR_NOT_FOUND)) {
		error_destroy(err);
		return error_with_check("bpf-types", error_create(ERROR_UNSUPPORTED,
					"the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)"));
	}
	if (err)
		return err;
	err = btf_borrow(ret->file.data, ret->file.bytes, &ret->btf);
	if (err)
		kernel_btf_close(ret);
	return err;
}

void kernel_btf_close(struct kernel_btf *k)
{
	btf_deinit(&k->btf);
	filemap_close(&k->file);
}
