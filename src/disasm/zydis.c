/* Decodes x86 with Zydis 4. Source: Zydis/Decoder.h, Zydis/Formatter.h, Zydis/Utils.h. */
#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "disasm/disasm_priv.h"

#define PACKAGE "libzydis4.0"

struct zydis {
	struct disasm disasm;
	ZydisDecoder decoder;
	ZydisFormatter formatter;
	__typeof__(ZydisDecoderInit) *decoder_init;
	__typeof__(ZydisDecoderDecodeFull) *decode_full;
	__typeof__(ZydisFormatterInit) *formatter_init;
	__typeof__(ZydisFormatterSetProperty) *set_property;
	__typeof__(ZydisFormatterFormatInstruction) *format;
	__typeof__(ZydisCalcAbsoluteAddress) *absolute;
	__typeof__(ZydisMnemonicGetString) *mnemonic;
};

static bool knows(const struct arch *arch, enum disasm_encoding encoding)
{
	return encoding == DISASM_USUAL && (arch == &arch_x86_64 || arch == &arch_i386);
}

static const struct library library = { .files = { "libZydis.so.4.0" }, .missing = PACKAGE " is not installed" };

static struct strobe_error *load(struct zydis *z)
{
	const struct library_symbol symbols[] = {
		{ &z->decoder_init, "ZydisDecoderInit" },
		{ &z->decode_full, "ZydisDecoderDecodeFull" },
		{ &z->formatter_init, "ZydisFormatterInit" },
		{ &z->set_property, "ZydisFormatterSetProperty" },
		{ &z->format, "ZydisFormatterFormatInstruction" },
		{ &z->absolute, "ZydisCalcAbsoluteAddress" },
		{ &z->mnemonic, "ZydisMnemonicGetString" },
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
}

/* Numbers as objdump writes them: lower case, no leading zeros. */
static bool set_up(struct zydis *z, const struct arch *arch, enum disasm_syntax syntax)
{
	static const struct {
		ZydisFormatterProperty property;
		ZyanUPointer value;
	} properties[] = {
		{ ZYDIS_FORMATTER_PROP_HEX_UPPERCASE, ZYAN_FALSE },
		{ ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE, ZYDIS_PADDING_DISABLED },
		{ ZYDIS_FORMATTER_PROP_ADDR_PADDING_RELATIVE, ZYDIS_PADDING_DISABLED },
		{ ZYDIS_FORMATTER_PROP_DISP_PADDING, ZYDIS_PADDING_DISABLED },
		{ ZYDIS_FORMATTER_PROP_IMM_PADDING, ZYDIS_PADDING_DISABLED },
		{ ZYDIS_FORMATTER_PROP_IMM_SIGNEDNESS, ZYDIS_SIGNEDNESS_UNSIGNED },
		/* relative addresses are shown as encoded: 0x10(%rip) */
		{ ZYDIS_FORMATTER_PROP_FORCE_RELATIVE_RIPREL, ZYAN_TRUE },
	};
	bool wide = arch == &arch_x86_64;
	if (!ZYAN_SUCCESS(z->decoder_init(&z->decoder, wide ? ZYDIS_MACHINE_MODE_LONG_64 : ZYDIS_MACHINE_MODE_LEGACY_32,
					  wide ? ZYDIS_STACK_WIDTH_64 : ZYDIS_STACK_WIDTH_32)) ||
	    !ZYAN_SUCCESS(z->formatter_init(&z->formatter,
					    syntax == DISASM_ATT ? ZYDIS_FORMATTER_STYLE_ATT : ZYDIS_FORMATTER_STYLE_INTEL)))
		return false;
	for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++)
		if (!ZYAN_SUCCESS(z->set_property(&z->formatter, properties[i].property, properties[i].value)))
			return false;
	return true;
}

static struct strobe_error *create(const struct arch *arch, enum disasm_encoding encoding, enum disasm_syntax syntax,
				   struct disasm **ret)
{
	(void)encoding;
	struct zydis *z = xcalloc(1, sizeof(*z));
	struct strobe_error *err = load(z);
	if (!err && !set_up(z, arch, syntax))
		err = error_create(ERROR_UNSUPPORTED, PACKAGE " cannot be initialized");
	if (err)
		free(z);
	else
		*ret = &z->disasm;
	return err;
}

static void destroy(struct disasm *d)
{
	free(d);
}

static enum insn_flow flow_of(const ZydisDecodedInstruction *i)
{
	switch (i->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return INSN_CALL;
	case ZYDIS_CATEGORY_RET:
		return i->mnemonic == ZYDIS_MNEMONIC_IRET || i->mnemonic == ZYDIS_MNEMONIC_IRETD ||
				       i->mnemonic == ZYDIS_MNEMONIC_IRETQ ? INSN_TRAP : INSN_RETURN;
	case ZYDIS_CATEGORY_COND_BR:
		return INSN_BRANCH;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return i->mnemonic == ZYDIS_MNEMONIC_XABORT ? INSN_TRAP : INSN_JUMP;
	case ZYDIS_CATEGORY_SYSCALL:
	case ZYDIS_CATEGORY_SYSRET:
	case ZYDIS_CATEGORY_INTERRUPT:
		return INSN_TRAP;
	default:
		break;
	}
	return i->mnemonic == ZYDIS_MNEMONIC_UD0 || i->mnemonic == ZYDIS_MNEMONIC_UD1 || i->mnemonic == ZYDIS_MNEMONIC_UD2 ?
		       INSN_TRAP : INSN_NEXT;
}

static bool decode(struct disasm *d, const void *code, size_t n, uint64_t ip, struct insn *ret)
{
	struct zydis *z = (struct zydis *)d;
	ZydisDecodedInstruction i;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	if (!ZYAN_SUCCESS(z->decode_full(&z->decoder, code, n, &i, operands)))
		return false;
	ret->bytes = i.length;
	ret->flow = (uint8_t)flow_of(&i);
	for (unsigned k = 0; k < i.operand_count_visible; k++) {
		const ZydisDecodedOperand *o = &operands[k];
		bool is_target = o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o->imm.is_relative;
		uint64_t address;
		if ((!is_target && o->type != ZYDIS_OPERAND_TYPE_MEMORY) || !ZYAN_SUCCESS(z->absolute(&i, o, ip, &address)))
			continue;
		if (is_target)
			ret->has_target = true, ret->target = address;
		else if (o->mem.segment != ZYDIS_REGISTER_FS && o->mem.segment != ZYDIS_REGISTER_GS) /* whose bases are unknown */
			ret->has_address = true, ret->address = address;
	}
	return true;
}

/* Conditions have two names; Zydis does not use those of objdump. */
static void rename_condition(char *text)
{
	static const struct {
		const char *from, *to;
	} conditions[] = { { "nbe", "a" }, { "nle", "g" }, { "nz", "ne" }, { "nb", "ae" }, { "nl", "ge" }, { "z", "e" } };
	static const char *const stems[] = { "j", "set", "cmov" };
	for (size_t s = 0; s < sizeof(stems) / sizeof(*stems); s++) {
		size_t stem = strlen(stems[s]), n = strcspn(text, " ") - stem;
		if (strncmp(text, stems[s], stem))
			continue;
		for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
			size_t to = strlen(conditions[i].to);
			if (strlen(conditions[i].from) != n || memcmp(text + stem, conditions[i].from, n))
				continue;
			/* no replacement is longer */
			memmove(text + stem + to, text + stem + n, strlen(text + stem + n) + 1);
			memcpy(text + stem, conditions[i].to, to);
			return;
		}
	}
}

/* ---- AT&T syntax in the style of objdump ---- */

/* Replaces n bytes at `at` by `what`; leaves the text unchanged if there is no room. */
static void splice(char *text, char *at, size_t n, const char *what)
{
	size_t bytes = strlen(what), rest = strlen(at + n) + 1;
	if ((size_t)(at - text) + bytes + rest > DISASM_TEXT_MAX)
		return;
	memmove(at + bytes, at + n, rest);
	memcpy(at, what, bytes);
}

/* The mnemonic in Zydis's text, after prefixes and including its suffix; *ret_base is its length without the suffix. */
static char *find_mnemonic(const struct zydis *z, char *text, const ZydisDecodedInstruction *i, size_t *ret_base)
{
	const char *name = z->mnemonic(i->mnemonic);
	size_t n = name ? strlen(name) : 0;
	for (char *at = text; n && at; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (!strncmp(at, name, n)) {
			*ret_base = n;
			return at;
		}
	}
	return NULL;
}

static char size_letter(unsigned bits)
{
	return bits == 8 ? 'b' : bits == 16 ? 'w' : bits == 32 ? 'l' : bits == 64 ? 'q' : 0;
}

static const char *other_name(ZydisMnemonic m)
{
	static const struct {
		ZydisMnemonic of;
		const char *name;
	} names[] = {
		{ ZYDIS_MNEMONIC_CBW, "cbtw" },	 { ZYDIS_MNEMONIC_CWDE, "cwtl" }, { ZYDIS_MNEMONIC_CDQE, "cltq" },
		{ ZYDIS_MNEMONIC_CWD, "cwtd" },	 { ZYDIS_MNEMONIC_CDQ, "cltd" },  { ZYDIS_MNEMONIC_CQO, "cqto" },
	};
	for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++)
		if (names[k].of == m)
			return names[k].name;
	return NULL;
}

/* movzbl, movslq: two size letters. */
static bool is_extension(ZydisMnemonic m)
{
	return m == ZYDIS_MNEMONIC_MOVZX || m == ZYDIS_MNEMONIC_MOVSX || m == ZYDIS_MNEMONIC_MOVSXD;
}

/* Zydis adds the width of the memory operand, which the register already shows; only conversions need it. */
static bool has_vector_register(const char *mnemonic, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *operands)
{
	for (unsigned k = 0; k < i->operand_count_visible; k++)
		if (operands[k].type == ZYDIS_OPERAND_TYPE_REGISTER && operands[k].reg.value >= ZYDIS_REGISTER_XMM0 &&
		    operands[k].reg.value <= ZYDIS_REGISTER_ZMM31)
			return strncmp(mnemonic, "cvt", 3) && strncmp(mnemonic, "vcvt", 4);
	return false;
}

static void rename_mnemonic(const struct zydis *z, char *text, const ZydisDecodedInstruction *i,
			    const ZydisDecodedOperand *operands)
{
	size_t base;
	char *at = find_mnemonic(z, text, i, &base), name[8] = "mov";
	size_t n = at ? strcspn(at, " ") : 0;
	if (!at)
		return;
	if (other_name(i->mnemonic)) {
		splice(text, at, n, other_name(i->mnemonic));
	} else if (is_extension(i->mnemonic)) {
		name[3] = i->mnemonic == ZYDIS_MNEMONIC_MOVZX ? 'z' : 's';
		name[4] = size_letter(operands[1].size);
		name[5] = size_letter(operands[0].size);
		splice(text, at, n, name);
	} else if (i->mnemonic == ZYDIS_MNEMONIC_MOV && i->raw.imm[0].size == 64) {
		splice(text, at, n, "movabs");
	} else if (i->mnemonic == ZYDIS_MNEMONIC_NOP && i->operand_count_visible == 2) {
		/* objdump omits the register operand, except for the size */
		char *comma = strstr(at, ", "), letter[] = { size_letter(i->operand_width), 0 };
		if (comma)
			splice(text, at + n + 1, (size_t)(comma + 2 - (at + n + 1)), "");
		splice(text, at + n, 0, letter);
	} else if (n == base + 1 && has_vector_register(at, i, operands)) {
		splice(text, at + base, 1, "");
	} else if (n == base && i->operand_count_visible == 1 && operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		   i->meta.category == ZYDIS_CATEGORY_BINARY) {
		char letter[] = { size_letter(operands[0].size), 0 };
		splice(text, at + n, 0, letter);
	}
}

/* A displacement of 0 that is encoded is shown: 0x0(%rbp). */
static void show_zero(char *text, const ZydisDecodedInstruction *i)
{
	char *at = strchr(text, '(');
	if (at && i->raw.disp.size && !i->raw.disp.value && (at == text || !strchr("0123456789abcdef", at[-1])))
		splice(text, at, 0, "0x0");
}

/* Marks a jump or call through a register or memory: call *0x8(%rax). */
static void mark_indirect(char *text, const ZydisDecodedInstruction *i, const ZydisDecodedOperand *first)
{
	bool jumps = i->meta.category == ZYDIS_CATEGORY_CALL || i->meta.category == ZYDIS_CATEGORY_UNCOND_BR;
	if (!jumps || !i->operand_count_visible || first->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return;
	char *call = strstr(text, "call "), *jump = strstr(text, "jmp ");
	if (call)
		splice(text, call + strlen("call "), 0, "*");
	else if (jump)
		splice(text, jump + strlen("jmp "), 0, "*");
}

static bool text(struct disasm *d, const void *code, size_t n, uint64_t ip, char *ret)
{
	struct zydis *z = (struct zydis *)d;
	ZydisDecodedInstruction i;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	if (!ZYAN_SUCCESS(z->decode_full(&z->decoder, code, n, &i, operands)) ||
	    !ZYAN_SUCCESS(z->format(&z->formatter, &i, operands, i.operand_count_visible, ret, DISASM_TEXT_MAX, ip, NULL)))
		return false;
	rename_condition(ret);
	if (d->syntax == DISASM_ATT) {
		mark_indirect(ret, &i, &operands[0]);
		rename_mnemonic(z, ret, &i, operands);
		show_zero(ret, &i);
	}
	return true;
}

const struct disasm_library disasm_zydis = {
	.name = "Zydis", .header = "libzydis-dev", .knows = knows, .create = create, .destroy = destroy,
	.decode = decode, .text = text,
};
