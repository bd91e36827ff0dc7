/* Instructions: that of a sample, and those executed according to its branch stack. */
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "dump/dumper_priv.h"

#define F(id) DUMP_FIELD(id)
#define BRANCH_FIELDS (F(BRSTACKINSN) | F(BRSTACKINSNLEN) | F(BRSTACKDISASM))
#define CODE_FIELDS (F(INSN) | F(INSNLEN) | F(DISASM) | BRANCH_FIELDS)

/* A longer path between two branches means that branches were lost. */
#define BLOCK_MAX 16384
#define INSN_MAX 15
/* The maximum path after the last branch, if the sample is before its target. */
#define MISSING_BRANCH_BYTES 128
/* Width of an instruction's bytes where flags of its branch follow. */
#define BYTES_WIDTH 30

struct strobe_error *dump_open_disasm(struct dumper *d)
{
	uint64_t any = 0;
	for (unsigned k = 0; k < DUMP_KINDS; k++)
		any |= d->options.fields.requested[k] & CODE_FIELDS;
	return any ? disasm_create(d->arch, DISASM_USUAL, DISASM_ATT, &d->disasm) : NULL;
}

/* The disassembler for the class of the code's file. */
static struct disasm *disasm_for(struct dumper *d, struct dso *dso)
{
	if (d->arch != &arch_x86_64 || dso_facts(dso).is_64bit)
		return d->disasm;
	if (!d->disasm_32bit)
		/* The library is installed, since the other one was created. */
		error_destroy(disasm_create(&arch_i386, DISASM_USUAL, DISASM_ATT, &d->disasm_32bit));
	return d->disasm_32bit;
}

/* Bytes of a file from one address on, with the data to decode them. */
struct code {
	struct disasm *disasm;
	const uint8_t *bytes; /* NULL: none */
	size_t n;
	uint64_t ip;
};

static struct code code_at(struct dumper *d, const struct resolved_sample *s, uint64_t ip, size_t bytes_max)
{
	struct resolved_frame f = dump_lookup(d, s, ip);
	struct code c = { .ip = ip };
	if (!f.dso)
		return c;
	c.bytes = dso_code(f.dso, f.addr, &c.n);
	c.disasm = disasm_for(d, f.dso);
	if (!c.bytes || !c.disasm)
		return (struct code){ .ip = ip };
	if (c.n > f.map->end - ip)
		c.n = f.map->end - ip;
	c.n = c.n < bytes_max ? c.n : bytes_max;
	return c;
}

static void put_bytes(struct out *out, const uint8_t *p, size_t n)
{
	out_str(out, "insn: ");
	for (size_t i = 0; i < n; i++) {
		out_hex_width(out, p[i], 2, '0');
		out_ch(out, ' ');
	}
}

static void put_sample_insn(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s)
{
	struct code c = code_at(d, s, s->sample.ip, INSN_MAX);
	struct insn i;
	if (!c.bytes || !disasm_decode(c.disasm, c.bytes, c.n, c.ip, &i))
		return;
	if (of & F(INSNLEN))
		out_f(out, " ilen: %d", i.bytes);
	if (of & F(INSN)) {
		out_str(out, " insn:");
		for (size_t k = 0; k < i.bytes; k++) {
			out_ch(out, ' ');
			out_hex_width(out, c.bytes[k], 2, '0');
		}
	}
	if (of & F(DISASM)) {
		out_str(out, "\t\t");
		disasm_text(c.disasm, out, c.bytes, c.n, c.ip);
	}
}

void dump_insn_json(struct dumper *d, struct json *j, uint64_t of, const struct resolved_sample *s)
{
	struct insn i;
	size_t n;
	if (!d->disasm || !(of & (F(INSN) | F(INSNLEN) | F(DISASM))))
		return;
	struct code c = code_at(d, s, s->sample.ip, INSN_MAX);
	if (!c.bytes || !disasm_decode(c.disasm, c.bytes, c.n, c.ip, &i))
		return;
	if (of & F(INSNLEN)) {
		json_key(j, "insnlen");
		json_u64(j, i.bytes);
	}
	for (unsigned k = 0; k < 2; k++) {
		if (!(of & (k ? F(DISASM) : F(INSN))))
			continue;
		d->scratch.len = 0;
		if (k)
			disasm_text(c.disasm, &d->scratch, c.bytes, c.n, c.ip);
		for (size_t b = 0; !k && b < i.bytes; b++)
			out_hex_width(&d->scratch, c.bytes[b], 2, '0');
		const char *text = out_mem(&d->scratch, &n);
		json_key(j, k ? "disasm" : "insn");
		json_str_n(j, text, n);
	}
}

/* A walk over a branch stack. */
struct walk {
	struct dumper *d;
	struct out *out;
	uint64_t of;
	const struct resolved_sample *s;
	const struct symbol *in; /* the function named last */
	unsigned cycles;         /* so far */
};

static bool is_kernel_ip(const struct dumper *d, uint64_t ip)
{
	return d->arch && arch_is_kernel_address(d->arch, ip);
}

/* The code from `from` up to and including the instruction at `to`. */
static struct code block(struct walk *w, uint64_t from, uint64_t to)
{
	if (!from || !to || to < from || to - from > BLOCK_MAX - INSN_MAX || is_kernel_ip(w->d, from) != is_kernel_ip(w->d, to))
		return (struct code){ 0 };
	return code_at(w->d, w->s, from, to - from + INSN_MAX);
}

static void put_label(struct walk *w, uint64_t ip)
{
	struct resolved_frame f = dump_lookup(w->d, w->s, ip);
	if (!f.symbol || f.symbol == w->in)
		return;
	w->in = f.symbol;
	const char *name = dso_symbol_name(f.dso, f.symbol);
	out_ch(w->out, '\t');
	out_text(w->out, name, strlen(name));
	if (f.addr != f.symbol->start)
		out_f(w->out, "+%" PRIu64, f.addr - f.symbol->start);
	out_str(w->out, ":\n");
}

static void put_flags(struct walk *w, const struct perf_branch_entry *b, unsigned insns)
{
	struct out *out = w->out;
	out_f(out, "\t#%s%s%s%s", b->predicted ? " PRED" : "", b->mispred ? " MISPRED" : "", b->in_tx ? " INTX" : "",
	      b->abort ? " ABORT" : "");
	if (!b->cycles)
		return;
	w->cycles += (unsigned)b->cycles;
	out_f(out, " %u cycles [%u]", (unsigned)b->cycles, w->cycles);
	if (insns)
		out_f(out, " %.2f IPC", (double)insns / (double)b->cycles);
}

/*
 * The line of one instruction; b is the branch taken at it, or NULL, and insns the number since the branch before. Returns
 * its length; 0: invalid instruction.
 */
static size_t put_insn(struct walk *w, const struct code *c, size_t at, const struct perf_branch_entry *b, unsigned insns,
		       struct insn *ret)
{
	uint64_t ip = c->ip + at;
	struct out *out = w->out, *text = &w->d->scratch;
	size_t n = 0;
	bool good = at < c->n && disasm_decode(c->disasm, c->bytes + at, c->n - at, ip, ret);
	out_f(out, "\t%016" PRIx64 "\t", ip);
	text->len = 0;
	if (w->of & F(BRSTACKDISASM))
		disasm_text(c->disasm, text, c->bytes + at, at < c->n ? c->n - at : 0, ip);
	else if (good)
		put_bytes(text, c->bytes + at, ret->bytes);
	else
		out_str(text, "bad");
	const char *p = out_mem(text, &n);
	out_write(out, p, n);
	if (b && n < BYTES_WIDTH)
		out_fill(out, ' ', BYTES_WIDTH - n);
	if (w->of & F(BRSTACKINSNLEN))
		out_f(out, "\tilen: %d", good ? ret->bytes : 0);
	if (b)
		put_flags(w, b, insns);
	out_ch(out, '\n');
	return good ? ret->bytes : 0;
}

/* The code from the target of a branch to the next branch. */
static void put_block(struct walk *w, const struct perf_branch_entry *from, const struct perf_branch_entry *to)
{
	struct code c = block(w, from->to, to->from);
	unsigned insns = 0;
	for (size_t at = 0, n = 1; c.bytes && n && at <= to->from - from->to; at += n) {
		struct insn i;
		bool last = c.ip + at == to->from;
		put_label(w, c.ip + at);
		insns++;
		n = put_insn(w, &c, at, last ? to : NULL, insns, &i);
		if (last)
			return;
	}
}

/*
 * The code from the target of the newest branch to the sample. Processors take the sample some instructions late, so that a
 * branch or two may be missing: the walk then ends at the next branch.
 */
static void put_last_block(struct walk *w, const struct perf_branch_entry *newest)
{
	uint64_t from = newest->to, to = w->s->sample.ip;
	struct insn i;
	if (newest->from == to || newest->abort)
		return; /* later code has not been executed yet */
	struct code c = block(w, from, to < from ? from + MISSING_BRANCH_BYTES : to);
	if (!c.bytes) {
		c = block(w, to, to);
		if (c.bytes)
			put_insn(w, &c, 0, NULL, 0, &i);
		return;
	}
	put_label(w, from);
	uint64_t end = to < from ? from + MISSING_BRANCH_BYTES : to;
	for (size_t at = 0, n = 1; n && at <= end - from; at += n) {
		n = put_insn(w, &c, at, NULL, 0, &i);
		if (n && i.flow != INSN_NEXT && c.ip + at != to) {
			out_str(w->out, "\t... not reaching sample ...\n");
			return;
		}
	}
}

static void put_way(struct walk *w)
{
	const struct sample *x = &w->s->sample;
	uint64_t nr = x->branch_nr, most = w->d->options.max_blocks;
	if (!x->branches || !nr)
		return;
	if (most && most < nr - 1)
		nr = most + 1;
	out_ch(w->out, '\n');
	const struct perf_branch_entry *oldest = &x->branches[nr - 1];
	struct code c = block(w, oldest->from, oldest->from);
	struct insn i;
	if (c.bytes) {
		put_label(w, oldest->from);
		put_insn(w, &c, 0, oldest, 0, &i);
	}
	while (--nr)
		put_block(w, &x->branches[nr], &x->branches[nr - 1]);
	put_last_block(w, &x->branches[0]);
}

void dump_insns(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s)
{
	if (!d->disasm)
		return;
	if (of & (F(INSN) | F(INSNLEN) | F(DISASM)))
		put_sample_insn(d, out, of, s);
	if (of & BRANCH_FIELDS) {
		struct walk w = { .d = d, .out = out, .of = of, .s = s };
		put_way(&w);
	}
}
