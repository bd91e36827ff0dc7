/* The fields after the address: registers, branch stacks, bytes of bpf-output. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "dump/dumper_priv.h"

void dump_registers(struct dumper *d, struct out *out, const struct sample_regs *regs)
{
	if (!regs->values)
		return;
	out_f(out, " ABI:%" PRIu64 " ", regs->abi);
	unsigned i = 0;
	for (uint64_t mask = regs->mask; mask; mask &= mask - 1, i++) {
		unsigned number = (unsigned)__builtin_ctzll(mask);
		const char *name = d->arch ? arch_reg_name(d->arch, number) : NULL;
		out_f(out, "%5s:0x%" PRIx64 " ", name ? name : "unknown", regs->values[i]);
	}
}

const char *dump_branch_type(const struct perf_branch_entry *b)
{
	static const char *const types[16] = { "",	 "COND", "UNCOND",    "IND",	  "CALL", "IND_CALL", "RET",	"SYSCALL",
					       "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX", "" };
	static const char *const more[16] = { "FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4",
					      "ARCH_5" };
	if (b->type == 15)
		return more[b->new_type] ? more[b->new_type] : "";
	return types[b->type];
}

static void put_end(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s, uint64_t ip,
		    enum dump_field_index form)
{
	struct resolved_frame f = { .ip = ip };
	bool needs_name = form == DUMP_INDEX_BRSTACKSYM;
	if (needs_name || form == DUMP_INDEX_BRSTACKOFF || of & DUMP_FIELD(DSO))
		f = dump_lookup(d, s, ip);
	if (needs_name && f.symbol) {
		const char *name = dso_symbol_name(f.dso, f.symbol);
		out_text(out, name, strlen(name));
		out_f(out, "+0x%" PRIx64, f.addr - f.symbol->start);
	} else if (needs_name) {
		out_str(out, "[unknown]");
	} else {
		out_str(out, "0x");
		/* What runs at the addresses that its file has needs no offset. */
		out_hex(out, form == DUMP_INDEX_BRSTACKOFF && f.addr != ip ? dump_shown_address(&f) : ip);
	}
	if (of & DUMP_FIELD(DSO)) {
		const char *name = dump_dso_name(d, &f);
		out_ch(out, '(');
		out_text(out, name, strlen(name));
		out_ch(out, ')');
	}
}

static void put_branches(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s,
			 enum dump_field_index form)
{
	for (uint64_t i = 0; i < s->sample.branch_nr; i++) {
		const struct perf_branch_entry *b = &s->sample.branches[i];
		if (form != DUMP_INDEX_BRSTACKSYM)
			out_ch(out, ' ');
		put_end(d, out, of, s, b->from, form);
		out_ch(out, '/');
		put_end(d, out, of, s, b->to, form);
		out_ch(out, '/');
		out_ch(out, b->predicted ? 'P' : b->mispred ? 'M' : '-');
		out_str(out, b->in_tx ? "/X/" : "/-/");
		out_str(out, b->abort ? "A/" : "-/");
		out_u64(out, b->cycles);
		out_ch(out, '/');
		out_str(out, dump_branch_type(b));
		out_ch(out, ' ');
	}
}

void dump_branches(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s)
{
	if (!s->sample.branches)
		return;
	/* one form, the first of these */
	if (of & DUMP_FIELD(BRSTACK))
		put_branches(d, out, of, s, DUMP_INDEX_BRSTACK);
	else if (of & DUMP_FIELD(BRSTACKSYM))
		put_branches(d, out, of, s, DUMP_INDEX_BRSTACKSYM);
	else if (of & DUMP_FIELD(BRSTACKOFF))
		put_branches(d, out, of, s, DUMP_INDEX_BRSTACKOFF);
}

#define BPF_LINE 8

void dump_bpf_output(struct out *out, const void *raw, uint32_t bytes)
{
	const unsigned char *p = raw;
	bool printable = true, has_nul = false;
	out_ch(out, '\n');
	for (uint32_t at = 0; at < bytes; at += BPF_LINE) {
		out_f(out, "%17s %04x:", at ? "           " : "BPF output:", at);
		for (uint32_t i = at; i < at + BPF_LINE; i++) {
			if (i < bytes)
				out_f(out, " %02x", p[i]);
			else
				out_str(out, "   ");
		}
		out_str(out, "  ");
		for (uint32_t i = at; i < at + BPF_LINE; i++)
			out_ch(out, i >= bytes ? ' ' : isprint(p[i]) ? (char)p[i] : '.');
		out_ch(out, '\n');
	}
	for (uint32_t i = 0; i < bytes; i++) {
		if (has_nul && p[i])
			printable = false;
		else if (!p[i])
			has_nul = true;
		else if (!isprint(p[i]) && !isspace(p[i]))
			printable = false;
	}
	if (printable && has_nul && bytes && p[0]) {
		out_f(out, "%17s \"", "BPF string:");
		out_text(out, raw, strnlen(raw, bytes));
		out_str(out, "\"\n");
	}
}
