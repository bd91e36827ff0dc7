/* Replaces capstone.c in a build without capstone. */
#include "disasm/disasm_priv.h"

static bool knows(const struct arch *arch, enum disasm_encoding encoding)
{
	(void)encoding;
	return arch == &arch_aarch64 || arch == &arch_arm || arch == &arch_s390x || arch == &arch_ppc64le;
}

const struct disasm_library disasm_capstone = { .name = "capstone", .header = "libcapstone-dev", .knows = knows };
