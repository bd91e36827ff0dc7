/* Decodes architectures other than x86, and x86 without Zydis, with capstone 4. Source: capstone/capstone.h. */
#include <capstone/capstone.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "disasm/disasm_priv.h"

#define PACKAGE "libcapstone4"

static const struct mode {
	const struct arch *arch;
	enum disasm_encoding encoding;
	cs_arch cs;
	int mode;
} modes[] = {
	{ &arch_x86_64, DISASM_USUAL, CS_ARCH_X86, CS_MODE_64 },
	{ &arch_i386, DISASM_USUAL, CS_ARCH_X86, CS_MODE_32 },
	{ &arch_aarch64, DISASM_USUAL, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN },
	/* Arm instructions are little-endian even with big-endian data (on arm since ARMv6: "BE8"). */
	{ &arch_aarch64, DISASM_BIG_ENDIAN, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN },
	{ &arch_arm, DISASM_USUAL, CS_ARCH_ARM, CS_MODE_ARM },
	{ &arch_arm, DISASM_BIG_ENDIAN, CS_ARCH_ARM, CS_MODE_ARM },
	{ &arch_arm, DISASM_THUMB, CS_ARCH_ARM, CS_MODE_THUMB },
	{ &arch_s390x, DISASM_USUAL, CS_ARCH_SYSZ, (int)CS_MODE_BIG_ENDIAN },
	{ &arch_ppc64le, DISASM_USUAL, CS_ARCH_PPC, CS_MODE_64 | CS_MODE_LITTLE_ENDIAN },
	{ &arch_ppc64le, DISASM_BIG_ENDIAN, CS_ARCH_PPC, (int)(CS_MODE_64 | CS_MODE_BIG_ENDIAN) },
};

struct capstone {
	struct disasm disasm;
	const struct mode *mode;
	csh handle;
	bool is_open;
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_disasm) *disassemble;
	__typeof__(cs_free) *free;
	__typeof__(cs_insn_group) *in_group;
};

static const struct mode *mode_of(const struct arch *arch, enum disasm_encoding encoding)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (modes[i].arch == arch && modes[i].encoding == encoding)
			return &modes[i];
	return NULL;
}

static bool knows(const struct arch *arch, enum disasm_encoding encoding)
{
	return mode_of(arch, encoding);
}

static void destroy(struct disasm *d)
{
	struct capstone *c = (struct capstone *)d;
	if (c->is_open)
		c->close(&c->handle);
	free(c);
}

static const struct library library = { .files = { "libcapstone.so.4" }, .missing = PACKAGE " is not installed" };

static struct strobe_error *load(struct capstone *c, enum disasm_syntax syntax)
{
	const struct library_symbol symbols[] = {
		{ &c->open, "cs_open" },	    { &c->close, "cs_close" }, { &c->option, "cs_option" },
		{ &c->disassemble, "cs_disasm" }, { &c->free, "cs_free" },	{ &c->in_group, "cs_insn_group" },
	};
	TRY(library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols)));
	if (c->open(c->mode->cs, (cs_mode)c->mode->mode, &c->handle) != CS_ERR_OK)
		return error_create(ERROR_UNSUPPORTED, PACKAGE " was built without this architecture");
	c->is_open = true;
	c->option(c->handle, CS_OPT_DETAIL, CS_OPT_ON);
	if (c->mode->cs == CS_ARCH_X86 && syntax == DISASM_ATT)
		c->option(c->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return NULL;
}

static struct strobe_error *create(const struct arch *arch, enum disasm_encoding encoding, enum disasm_syntax syntax,
				   struct disasm **ret)
{
	struct capstone *c = xcalloc(1, sizeof(*c));
	c->mode = mode_of(arch, encoding);
	struct strobe_error *err = load(c, syntax);
	if (err)
		destroy(&c->disasm);
	else
		*ret = &c->disasm;
	return err;
}

/* Unconditional jumps, by mnemonic, as capstone's groups do not distinguish them. Calls are recognized by the link register they write. */
static bool is_unconditional(const struct capstone *c, const char *mnemonic)
{
	static const struct {
		cs_arch cs;
		const char *name;
	} jumps[] = {
		{ CS_ARCH_X86, "jmp" },	 { CS_ARCH_X86, "jmpq" }, { CS_ARCH_X86, "ljmp" }, { CS_ARCH_X86, "ljmpq" },
		{ CS_ARCH_X86, "jmpl" }, { CS_ARCH_X86, "ljmpl" }, { CS_ARCH_ARM64, "b" }, { CS_ARCH_ARM64, "br" },
		{ CS_ARCH_ARM, "b" },	 { CS_ARCH_ARM, "bx" },	  { CS_ARCH_SYSZ, "j" },   { CS_ARCH_SYSZ, "jg" },
		{ CS_ARCH_SYSZ, "br" },	 { CS_ARCH_PPC, "b" },	  { CS_ARCH_PPC, "ba" },   { CS_ARCH_PPC, "bctr" },
	};
	for (size_t i = 0; i < sizeof(jumps) / sizeof(*jumps); i++)
		if (jumps[i].cs == c->mode->cs && !strcmp(jumps[i].name, mnemonic))
			return true;
	return false;
}

static bool is_call(const struct capstone *c, const cs_insn *i)
{
	if (c->in_group(c->handle, i, CS_GRP_CALL))
		return true;
	switch (c->mode->cs) {
	case CS_ARCH_ARM64:
		return i->id == ARM64_INS_BL || i->id == ARM64_INS_BLR;
	case CS_ARCH_ARM:
		return i->id == ARM_INS_BL || i->id == ARM_INS_BLX;
	case CS_ARCH_SYSZ:
		return i->id == SYSZ_INS_BRAS || i->id == SYSZ_INS_BRASL || i->id == SYSZ_INS_BASR;
	case CS_ARCH_PPC:
		return i->id == PPC_INS_BL || i->id == PPC_INS_BLA || i->id == PPC_INS_BCTRL || i->id == PPC_INS_BLRL;
	default:
		return false;
	}
}

static bool is_return(const struct capstone *c, const cs_insn *i)
{
	if (c->in_group(c->handle, i, CS_GRP_RET))
		return true;
	return (c->mode->cs == CS_ARCH_PPC && i->id == PPC_INS_BLR) ||
	       (c->mode->cs == CS_ARCH_SYSZ && !strcmp(i->mnemonic, "br") && !strcmp(i->op_str, "%r14")) ||
	       (c->mode->cs == CS_ARCH_ARM && i->id == ARM_INS_BX && !strcmp(i->op_str, "lr")) ||
	       (c->mode->cs == CS_ARCH_ARM && i->id == ARM_INS_POP && text_has_suffix(i->op_str, "pc}"));
}

static bool is_jump(const struct capstone *c, const cs_insn *i)
{
	if (c->in_group(c->handle, i, CS_GRP_JUMP))
		return true;
	switch (c->mode->cs) {
	case CS_ARCH_X86:
		return i->id == X86_INS_LOOP || i->id == X86_INS_LOOPE || i->id == X86_INS_LOOPNE;
	case CS_ARCH_ARM64:
		return i->id == ARM64_INS_B || i->id == ARM64_INS_BR || i->id == ARM64_INS_CBZ || i->id == ARM64_INS_CBNZ ||
		       i->id == ARM64_INS_TBZ || i->id == ARM64_INS_TBNZ;
	case CS_ARCH_ARM:
		return i->id == ARM_INS_B || i->id == ARM_INS_BX;
	case CS_ARCH_PPC:
		return c->in_group(c->handle, i, CS_GRP_BRANCH_RELATIVE);
	case CS_ARCH_SYSZ: /* jump, branch, and compare-and-jump */
		return i->mnemonic[0] == 'j' || !strncmp(i->mnemonic, "br", 2) || !strncmp(i->mnemonic, "bc", 2) ||
		       (i->mnemonic[0] == 'c' && strchr(i->mnemonic, 'j'));
	default:
		return false;
	}
}

static enum insn_flow flow_of(const struct capstone *c, const cs_insn *i)
{
	if (is_return(c, i))
		return INSN_RETURN;
	if (is_call(c, i))
		return INSN_CALL;
	if (is_jump(c, i))
		return is_unconditional(c, i->mnemonic) ? INSN_JUMP : INSN_BRANCH;
	return c->in_group(c->handle, i, CS_GRP_INT) || c->in_group(c->handle, i, CS_GRP_IRET) ? INSN_TRAP : INSN_NEXT;
}

/* The last operand, if it is a number, to which capstone has added the instruction's address. */
static bool last_immediate(const struct capstone *c, const cs_detail *detail, uint64_t *ret)
{
#define LAST(of, kind)                                                                    \
	do {                                                                              \
		unsigned n = detail->of.op_count;                                         \
		if (!n || detail->of.operands[n - 1].type != (kind))                      \
			return false;                                                     \
		*ret = (uint64_t)(int64_t)detail->of.operands[n - 1].imm;                 \
		return true;                                                              \
	} while (0)
	switch (c->mode->cs) {
	case CS_ARCH_X86:
		LAST(x86, X86_OP_IMM);
	case CS_ARCH_ARM64:
		LAST(arm64, ARM64_OP_IMM);
	case CS_ARCH_ARM:
		LAST(arm, ARM_OP_IMM);
	case CS_ARCH_PPC:
		LAST(ppc, PPC_OP_IMM);
	case CS_ARCH_SYSZ:
		LAST(sysz, SYSZ_OP_IMM);
	default:
		return false;
	}
#undef LAST
}

/* An x86 memory operand with a fixed address: relative to the next instruction, or absolute. The bases of %fs and %gs are unknown. */
static bool x86_address(const cs_insn *i, uint64_t ip, uint64_t *ret)
{
	const cs_x86 *x86 = &i->detail->x86;
	for (unsigned n = 0; n < x86->op_count; n++) {
		const x86_op_mem *mem = &x86->operands[n].mem;
		if (x86->operands[n].type != X86_OP_MEM || mem->index != X86_REG_INVALID || mem->segment == X86_REG_FS ||
		    mem->segment == X86_REG_GS)
			continue;
		if (mem->base != X86_REG_INVALID && mem->base != X86_REG_RIP)
			continue;
		*ret = (uint64_t)mem->disp + (mem->base == X86_REG_RIP ? ip + i->size : 0);
		return true;
	}
	return false;
}

static cs_insn *one(struct capstone *c, const void *code, size_t n, uint64_t ip)
{
	cs_insn *i = NULL;
	return c->disassemble(c->handle, code, n, ip, 1, &i) == 1 ? i : NULL;
}

static bool decode(struct disasm *d, const void *code, size_t n, uint64_t ip, struct insn *ret)
{
	struct capstone *c = (struct capstone *)d;
	cs_insn *i = one(c, code, n, ip);
	if (!i)
		return false;
	ret->bytes = (uint8_t)i->size;
	ret->flow = (uint8_t)flow_of(c, i);
	if (ret->flow == INSN_JUMP || ret->flow == INSN_BRANCH || ret->flow == INSN_CALL)
		ret->has_target = last_immediate(c, i->detail, &ret->target);
	if (c->mode->cs == CS_ARCH_X86)
		ret->has_address = x86_address(i, ip, &ret->address);
	if (c->mode->arch->pointer_bytes == 4)
		ret->target &= UINT32_MAX, ret->address &= UINT32_MAX;
	c->free(i, 1);
	return true;
}

static bool text(struct disasm *d, const void *code, size_t n, uint64_t ip, char *ret)
{
	struct capstone *c = (struct capstone *)d;
	cs_insn *i = one(c, code, n, ip);
	if (!i)
		return false;
	snprintf(ret, DISASM_TEXT_MAX, "%s%s%s", i->mnemonic, *i->op_str ? " " : "", i->op_str);
	c->free(i, 1);
	return true;
}

const struct disasm_library disasm_capstone = {
	.name = "capstone", .header = "libcapstone-dev", .knows = knows, .create = create, .destroy = destroy,
	.decode = decode, .text = text,
};
