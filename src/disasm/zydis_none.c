/* Replaces zydis.c in a build without Zydis. */
#include "disasm/disasm_priv.h"

static bool knows(const struct arch *arch, enum disasm_encoding encoding)
{
	return encoding == DISASM_USUAL && (arch == &arch_x86_64 || arch == &arch_i386);
}

const struct disasm_library disasm_zydis = { .name = "Zydis", .header = "libzydis-dev", .knows = knows };
