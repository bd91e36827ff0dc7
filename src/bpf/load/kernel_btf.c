#include "bpf/load/kernel_btf.h"

#include "base/cleanup.h"

static struct strobe_error *open_until(const struct sys *sys, const char *structure, struct kernel_btf *ret)
{
	_cleanup_free_ char *path = sys_path(sys, "/sys/kernel/btf/vmlinux");
	*ret = (struct kernel_btf){};
	struct strobe_error *err = filemap_open(&ret->file, path);
	if (error_is(err, ERROR_NOT_FOUND)) {
		error_destroy(err);
		return error_create(ERROR_UNSUPPORTED, "the kernel brings no BTF (CONFIG_DEBUG_INFO_BTF)");
	}
	if (err)
		return err;
	err = btf_borrow_until(ret->file.data, ret->file.bytes, structure, &ret->btf);
	if (err)
		kernel_btf_close(ret);
	return err;
}

struct strobe_error *kernel_btf_open(const struct sys *sys, struct kernel_btf *ret)
{
	return open_until(sys, NULL, ret);
}

static struct strobe_error *offsets_in(const struct sys *sys, const char *until, const char *structure,
				       const char *const *members, uint32_t *const *ret, size_t n)
{
	struct kernel_btf kernel;
	struct strobe_error *err = NULL;
	TRY(open_until(sys, until, &kernel));
	for (size_t i = 0; !err && i < n; i++)
		err = btf_offset(&kernel.btf, structure, (const char *const[]){ members[i], NULL }, ret[i]);
	kernel_btf_close(&kernel);
	return err;
}

struct strobe_error *kernel_btf_offsets(const struct sys *sys, const char *structure, const char *const *members,
					uint32_t *const *ret, size_t n)
{
	struct strobe_error *err = offsets_in(sys, structure, structure, members, ret, n);
	if (!err)
		return NULL;
	/* Some may be in an unnamed structure, whose type comes later. */
	error_destroy(err);
	return offsets_in(sys, NULL, structure, members, ret, n);
}

void kernel_btf_close(struct kernel_btf *k)
{
	btf_deinit(&k->btf);
	filemap_close(&k->file);
}
