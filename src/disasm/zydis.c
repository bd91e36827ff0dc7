/* x86 through Zydis 4. Source: Zydis/Decoder.h, Zydis/Formatter.h, Zydis/Utils.h. */
#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "disasm/disasm_priv.h"

#define LIBRARY "libZydis.so.4.0"
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
};

static bool knows(const struct arch *arch)
{
	return arch == &arch_x86_64 || arch == &arch_i386;
}

static struct strobe_error *load(struct zydis *z)
{
	const struct disasm_symbol symbols[] = {
		{ &z->decoder_init, "ZydisDecoderInit" },
		{ &z->decode_full, "ZydisDecoderDecodeFull" },
		{ &z->formatter_init, "ZydisFormatterInit" },
		{ &z->set_property, "ZydisFormatterSetProperty" },
		{ &z->format, "ZydisFormatterFormatInstruction" },
		{ &z->absolute, "ZydisCalcAbsoluteAddress" },
	};
	return disasm_load(LIBRARY, PACKAGE, symbols, sizeof(symbols) / sizeof(*symbols));
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
		/* what lies relative to the instruction is shown as it is encoded: 0x10(%rip) */
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

static struct strobe_error *create(const struct arch *arch, enum disasm_syntax syntax, struct disasm **ret)
{
	struct zydis *z = xcalloc(1, sizeof(*z));
	struct strobe_error *err = load(z);
	if (!err && !set_up(z, arch, syntax))
		err = error_create(ERROR_UNSUPPORTED, LIBRARY " refuses its set-up");
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
		else if (o->mem.segment != ZYDIS_REGISTER_FS && o->mem.segment != ZYDIS_REGISTER_GS) /* whose bases are not known */
			ret->has_address = true, ret->address = address;
	}
	return true;
}

/* Conditions have two names; objdump's, and so everybody's, are not those of Zydis. */
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
			/* none is longer than what it replaces */
			memmove(text + stem + to, text + stem + n, strlen(text + stem + n) + 1);
			memcpy(text + stem, conditions[i].to, to);
			return;
		}
	}
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
	return true;
}

const struct disasm_library disasm_zydis = {
	.name = "Zydis", .header = "libzydis-dev", .knows = knows, .create = create, .destroy = destroy,
	.decode = decode, .text = text,
};
