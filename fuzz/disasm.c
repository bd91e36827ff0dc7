/*
 * Any bytes as machine code: taken apart from the front, each instruction with its text. The first byte chooses the
 * architecture, the encoding and the syntax.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/disasm.h"

#define ADDRESS  0x401000
#define TEXT_MAX 1024

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(struct disasm *d, const uint8_t *code, size_t n, uint64_t ip)
{
	struct out out;
	size_t bytes;
	out_init_mem(&out);
	disasm_text(d, &out, code, n, ip);
	const char *text = out_mem(&out, &bytes);
	if (!bytes || bytes > TEXT_MAX || memchr(text, '\n', bytes) || memchr(text, '\0', bytes))
		abort();
	error_destroy(out_close(&out));
}

static void take_apart(struct disasm *d, const uint8_t *code, size_t n)
{
	for (uint64_t ip = ADDRESS; n;) {
		struct insn i;
		bool known = disasm_decode(d, code, n, ip, &i);
		size_t bytes = known ? i.bytes : disasm_unknown_bytes(d, code, n);
		if (!bytes || bytes > n)
			abort();
		check_text(d, code, n, ip);
		code += bytes;
		n -= bytes;
		ip += bytes;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct disasm *d;
	unsigned archs = 0;
	if (size < 2)
		return 0;
	while (arch_all[archs])
		archs++;
	struct strobe_error *err = disasm_create(arch_all[data[0] % archs], (enum disasm_encoding)(data[0] / archs % 3),
						 data[0] & 0x80 ? DISASM_INTEL : DISASM_ATT, &d);
	if (!err) {
		take_apart(d, data + 1, size - 1);
		disasm_destroy(d);
	}
	error_destroy(err); /* no such encoding, or no library here */
	return 0;
}
