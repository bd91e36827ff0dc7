#include "bpf/kernel_btf.h"

#include "base/cleanup.h"

#define BTF_FILE      "/sys/kernel/btf/vmlinux"
#define BTF_MAX_BYTES (64u << 20)

struct strobe_error *kernel_btf_load(const struct sys *sys, struct btf *ret)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	*ret = (struct btf){};
	struct strobe_error *err = sys_read(sys, BTF_FILE, &bytes, BTF_MAX_BYTES);
	if (!error_is(err, ERROR_NOT_FOUND))
		return err ? err : btf_take(&bytes, ret);
	error_destroy(err);
	return error_create(ERROR_UNSUPPORTED, "the kernel brings no BTF (CONFIG_DEBUG_INFO_BTF)");
}
