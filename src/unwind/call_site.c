#include "unwind/call_site.h"

#include <string.h>

#define X86_CALL_BYTES_MAX 7

/* Bytes of an instruction FF /2 whose ModRM and SIB bytes are at `at`, prefixes apart (Intel SDM volume 2, 2.1.5). */
static unsigned x86_indirect_bytes(const uint8_t *at)
{
	unsigned mod = at[0] >> 6, rm = at[0] & 7;
	if (mod == 3)
		return 2;
	unsigned bytes = 2 + (rm == 4);
	if (mod == 1)
		return bytes + 1;
	if (mod == 2 || (rm == 5 && !mod) || (rm == 4 && !mod && (at[1] & 7) == 5))
		return bytes + 4;
	return bytes;
}

/* end: after n bytes of code. */
static bool x86_call_before(const uint8_t *end, size_t n)
{
	if (n >= 5 && end[-5] == 0xe8)
		return true;
	for (size_t i = 2; i <= n && i <= X86_CALL_BYTES_MAX; i++) {
		const uint8_t *at = end - i;
		uint8_t modrm_sib[2] = { at[1], i > 2 ? at[2] : 0 };
		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 && x86_indirect_bytes(modrm_sib) == i)
			return true;
	}
	return false;
}

/* BL, BLR, and BLR with authentication. Instructions are little-endian on all machines. */
static bool arm64_call_before(const uint8_t *end)
{
	uint32_t word = (uint32_t)end[-4] | (uint32_t)end[-3] << 8 | (uint32_t)end[-2] << 16 | (uint32_t)end[-1] << 24;
	return (word & 0xfc000000) == 0x94000000 || (word & 0xfffffc1f) == 0xd63f0000 || (word & 0xfefff800) == 0xd63f0800;
}

bool call_ends_at(const struct arch *a, const struct object *o, uint64_t vaddr)
{
	bool is_x86 = a == &arch_x86_64 || a == &arch_i386;
	size_t least = is_x86 ? 2 : 4, n, left;
	if (!is_x86 && a != &arch_aarch64)
		return true;
	for (n = is_x86 ? X86_CALL_BYTES_MAX : 4; n >= least && n <= vaddr; n--) {
		const uint8_t *code = object_bytes_at(o, vaddr - n, &left);
		if (code && left >= n)
			return is_x86 ? x86_call_before(code + n, n) : arm64_call_before(code + n);
	}
	return true;
}

/* rt_sigreturn by number, then the call: gdb, libgcc and libunwind look for the same bytes. */
bool is_sigreturn(const struct arch *a, const struct object *o, uint64_t vaddr)
{
	static const uint8_t x86_64[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t aarch64[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
	const uint8_t *expected = a == &arch_x86_64 ? x86_64 : a == &arch_aarch64 ? aarch64 : NULL;
	size_t n, bytes = a == &arch_x86_64 ? sizeof(x86_64) : sizeof(aarch64);
	const uint8_t *code = expected ? object_bytes_at(o, vaddr, &n) : NULL;
	return code && n >= bytes && !memcmp(code, expected, bytes);
}
