#include "disasm/disasm.h"

#include <config.h> /* of the build */

#include "disasm/disasm_priv.h"

/* Tried in this order; the first that supports the architecture and is installed is used. */
static const struct disasm_library *const libraries[] = { &disasm_zydis, &disasm_capstone };

static struct strobe_error *missing_library(const struct arch *arch, const struct disasm_library *l, struct strobe_error *why)
{
	if (why)
		return error_prefix(why, "%s instructions cannot be decoded", arch->name);
	if (!library_can_load())
		return error_create(ERROR_UNSUPPORTED, "%s instructions cannot be decoded: the static binary has no disassembler",
				    arch->name);
	return error_create(ERROR_UNSUPPORTED, "%s instructions cannot be decoded: this build lacks %s (Debian: %s)", arch->name,
			    l->name, l->header);
}

struct strobe_error *disasm_create(const struct arch *arch, enum disasm_encoding encoding, enum disasm_syntax syntax,
				   struct disasm **ret)
{
	struct strobe_error *first = NULL;
	const struct disasm_library *selected = NULL;
	*ret = NULL;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		const struct disasm_library *l = libraries[i];
		if (!arch || !l->knows(arch, encoding))
			continue;
		selected = selected ? selected : l;
		struct strobe_error *err = l->create ? l->create(arch, encoding, syntax, ret) : NULL;
		if (l->create && !err) {
			**ret = (struct disasm){ l, arch, encoding, syntax };
			error_destroy(first);
			return NULL;
		}
		if (first)
			error_destroy(err);
		else
			first = err;
	}
	if (selected)
		return missing_library(arch, selected, first);
	return error_create(ERROR_UNSUPPORTED, "no decoder supports %s instructions",
			    arch ? arch->name : "an unknown architecture's");
}

void disasm_destroy(struct disasm *d)
{
	if (d)
		d->library->destroy(d);
}

bool disasm_decode(struct disasm *d, const void *code, size_t n, uint64_t ip, struct insn *ret)
{
	*ret = (struct insn){ 0 };
	return n && d->library->decode(d, code, n, ip, ret) && ret->bytes && ret->bytes <= n;
}

size_t disasm_unknown_bytes(const struct disasm *d, const void *code, size_t n)
{
	const uint8_t *p = code;
	size_t bytes = d->arch->insn_align;
	if (d->arch == &arch_s390x && n) /* the first two bits */
		bytes = (size_t[]){ 2, 4, 4, 6 }[p[0] >> 6];
	else if (d->encoding == DISASM_THUMB && n > 1) /* 0b11101 and above begin a 4-byte instruction */
		bytes = p[1] >> 3 >= 0x1d ? 4 : 2;
	return bytes < n ? bytes : n;
}

/* objdump's columns: the mnemonic is padded to six characters, and AT&T syntax has no blank between operands or before a mask. */
#define MNEMONIC_WIDTH 6

static bool is_prefix(const char *word, size_t n)
{
	static const char *const prefixes[] = { "lock", "rep", "repe", "repz", "repne", "repnz", "bnd", "notrack",
						"xacquire", "xrelease", "data16", "addr32", "cs", "ds", "es", "fs", "gs", "ss" };
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strlen(prefixes[i]) == n && !memcmp(prefixes[i], word, n))
			return true;
	return false;
}

static void put_columns(struct out *out, const char *text, bool tight)
{
	size_t n = strcspn(text, " ");
	while (text[n] == ' ' && is_prefix(text, n)) {
		out_write(out, text, n + 1);
		text += n + 1;
		n = strcspn(text, " ");
	}
	out_write(out, text, n);
	text += n + strspn(text + n, " ");
	if (!*text)
		return;
	out_fill(out, ' ', (n < MNEMONIC_WIDTH ? MNEMONIC_WIDTH - n : 0) + 1);
	for (; *text; text++)
		if (!tight || *text != ' ' || (text[-1] != ',' && text[1] != '{'))
			out_ch(out, *text);
}

void disasm_text(struct disasm *d, struct out *out, const void *code, size_t n, uint64_t ip)
{
	char text[DISASM_TEXT_MAX];
	if (!n)
		return;
	if (d->library->text(d, code, n, ip, text)) {
		put_columns(out, text, d->syntax == DISASM_ATT && d->arch->e_machine == arch_x86_64.e_machine);
		return;
	}
	out_str(out, ".byte 0x");
	out_hex_width(out, *(const uint8_t *)code, 2, '0');
}
