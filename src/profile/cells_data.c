/*
 * Cells of memory accesses: the data source as text (record/data_src.h), and transaction flags.
 */
#include <linux/perf_event.h>

#include "profile/cells_priv.h"
#include "record/data_src.h"

#define TRANSACTION_WIDTH 32
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static unsigned bits(uint64_t v, unsigned shift, unsigned n)
{
	return (unsigned)(v >> shift) & ((1u << n) - 1);
}

/* The bits that a key compares. */
static uint64_t mem_word(const struct hist *h, uint64_t v)
{
	return v & ((0x3fffull << PERF_MEM_LVL_SHIFT) | (0xfull << PERF_MEM_LVLNUM_SHIFT) | (1ull << PERF_MEM_REMOTE_SHIFT) |
		    (7ull << PERF_MEM_HOPS_SHIFT));
}

static uint64_t snoop_word(const struct hist *h, uint64_t v)
{
	return v & ((0x1full << PERF_MEM_SNOOP_SHIFT) | (3ull << PERF_MEM_SNOOPX_SHIFT));
}

static uint64_t locked_word(const struct hist *h, uint64_t v) { return bits(v, PERF_MEM_LOCK_SHIFT, 2); }
static uint64_t tlb_word(const struct hist *h, uint64_t v) { return bits(v, PERF_MEM_TLB_SHIFT, 7); }
static uint64_t blocked_word(const struct hist *h, uint64_t v) { return bits(v, PERF_MEM_BLK_SHIFT, 3); }

static void add_transaction(struct strbuf *out, uint64_t txn)
{
	static const struct {
		uint64_t flag;
		const char *text;
	} flags[] = {
		{ PERF_TXN_ELISION, "EL " },	       { PERF_TXN_TRANSACTION, "TX " },
		{ PERF_TXN_SYNC, "SYNC " },	       { PERF_TXN_ASYNC, "ASYNC " },
		{ PERF_TXN_RETRY, "RETRY " },	       { PERF_TXN_CONFLICT, "CON " },
		{ PERF_TXN_CAPACITY_WRITE, "CAP-WRITE " }, { PERF_TXN_CAPACITY_READ, "CAP-READ " },
	};
	for (size_t i = 0; i < COUNT(flags); i++)
		if (txn & flags[i].flag)
			strbuf_addstr(out, flags[i].text);
	if (txn && !(txn & (PERF_TXN_SYNC | PERF_TXN_ASYNC)))
		strbuf_addstr(out, "NEITHER ");
	if (txn & PERF_TXN_ABORT_MASK)
		strbuf_addf(out, ":%llx", (unsigned long long)(txn >> PERF_TXN_ABORT_SHIFT));
}

/* Padded, and never cut. */
static void add_padded(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out,
		       void (*add)(struct strbuf *out, uint64_t v))
{
	size_t start = out->len;
	add(out, hist_label(h, e, k->label, 0));
	while (out->len - start < width)
		strbuf_addch(out, ' ');
}

#define FORMAT(what, add)                                                                                              \
	static void format_##what(const struct hist *h, const struct hist_key *k, const struct hist_entry *e,          \
				  unsigned width, struct strbuf *out)                                                  \
	{                                                                                                              \
		add_padded(h, k, e, width, out, add);                                                                  \
	}

FORMAT(mem, data_src_level)
FORMAT(snoop, data_src_snoop)
FORMAT(locked, data_src_lock)
FORMAT(tlb, data_src_tlb)
FORMAT(blocked, data_src_blocked)
FORMAT(transaction, add_transaction)

/* Room for all flags at once. */
static unsigned measure_transaction(const struct hist *h, const struct hist_key *k, const struct hist_entry *e)
{
	return hist_label(h, e, k->label, 0) ? TRANSACTION_WIDTH : 0;
}

static void format_physical(const struct hist *h, const struct hist_key *k, const struct hist_entry *e, unsigned width, struct strbuf *out)
{
	strbuf_addf(out, "[%c] ", e->level);
	add_address(out, hist_label(h, e, k->label, 0));
}

const struct column_cells cells_mem = { .word = mem_word, .compare = compare_label_words, .format = format_mem,
					.measure = measure_header };
const struct column_cells cells_snoop = { .word = snoop_word, .compare = compare_label_words, .format = format_snoop };
const struct column_cells cells_locked = { .word = locked_word, .compare = compare_label_words, .format = format_locked };
const struct column_cells cells_tlb = { .word = tlb_word, .compare = compare_label_words, .format = format_tlb };
const struct column_cells cells_blocked = { .word = blocked_word, .compare = compare_label_words, .format = format_blocked };
const struct column_cells cells_transaction = { .format = format_transaction, .measure = measure_transaction };
const struct column_cells cells_physical = { .format = format_physical };
