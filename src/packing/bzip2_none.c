/* Replaces bzip2.c in a build without bzlib.h. */
#include "packing/packing_priv.h"

static struct strobe_error *bzip2_create(bool unpack, void **ret)
{
	(void)unpack;
	(void)ret;
	return error_create(ERROR_UNSUPPORTED, "bzip2 compression is not built in: name the archive .tar.gz or .tar.xz");
}

static enum packing_step bzip2_step(void *state, struct packing_io *io, bool finish)
{
	(void)state;
	(void)io;
	(void)finish;
	return PACKING_DAMAGED;
}

static void bzip2_destroy(void *state, bool unpack)
{
	(void)state;
	(void)unpack;
}

const struct packing packing_bzip2 = {
	.name = "bzip2",
	.suffixes = { ".bz2", ".tbz2" },
	.magic = "BZh",
	.magic_bytes = 3,
	.create = bzip2_create,
	.step = bzip2_step,
	.destroy = bzip2_destroy,
};
