/*
 * Cells of memory accesses: where the data came from, in words, and what a transaction did.
 *
 * A data source is passed as the u64 of the record in our bit order (union perf_mem_data_src, bit 0 is the first of
 * mem_op); source: perf_event.h.
 */
#include <linux/perf_event.h>
#include <stdio.h>

#include "profile/cells_priv.h"

#define TRANSACTION_WIDTH 32
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static unsigned bits(uint64_t v, unsigned shift, unsigned n)
{
	return (unsigned)(v >> shift) & ((1u << n) - 1);
}

static unsigned level_bits(uint64_t v) { return bits(v, PERF_MEM_LVL_SHIFT, 14); }
static unsigned level_number(uint64_t v) { return bits(v, PERF_MEM_LVLNUM_SHIFT, 4); }
static unsigned snoop_bits(uint64_t v) { return bits(v, PERF_MEM_SNOOP_SHIFT, 5); }
static unsigned lock_bits(uint64_t v) { return bits(v, PERF_MEM_LOCK_SHIFT, 2); }
static unsigned tlb_bits(uint64_t v) { return bits(v, PERF_MEM_TLB_SHIFT, 7); }
static unsigned blocked_bits(uint64_t v) { return bits(v, PERF_MEM_BLK_SHIFT, 3); }

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

static uint64_t locked_word(const struct hist *h, uint64_t v) { return lock_bits(v); }
static uint64_t tlb_word(const struct hist *h, uint64_t v) { return tlb_bits(v); }
static uint64_t blocked_word(const struct hist *h, uint64_t v) { return blocked_bits(v); }

/* Names of the bits that are set, " or " between, and before the first where something stands there already. */
static bool add_names(struct strbuf *out, unsigned v, const char *const *names, size_t n, bool after)
{
	for (size_t i = 0; i < n; i++) {
		if (!(v & (1u << i)))
			continue;
		strbuf_addf(out, "%s%s", after ? " or " : "", names[i]);
		after = true;
	}
	return after;
}

static void add_level_number(struct strbuf *out, unsigned number)
{
	static const char *const names[16] = { [0x8] = "UNC", [PERF_MEM_LVLNUM_CXL] = "CXL", [PERF_MEM_LVLNUM_IO] = "I/O",
					       [PERF_MEM_LVLNUM_ANY_CACHE] = "Any cache", [PERF_MEM_LVLNUM_LFB] = "LFB/MAB",
					       [PERF_MEM_LVLNUM_RAM] = "RAM", [PERF_MEM_LVLNUM_PMEM] = "PMEM",
					       [PERF_MEM_LVLNUM_NA] = "N/A" };
	if (names[number])
		strbuf_addstr(out, names[number]);
	else
		strbuf_addf(out, "L%u", number);
}

static void add_level(struct strbuf *out, uint64_t v)
{
	static const char *const names[] = { "N/A", "HIT", "MISS", "L1", "LFB/MAB", "L2", "L3", "Local RAM",
					     "Remote RAM (1 hop)", "Remote RAM (2 hops)", "Remote Cache (1 hop)",
					     "Remote Cache (2 hops)", "I/O", "Uncached" };
	static const char *const hops[8] = { NULL, "core, same node", "node, same socket", "socket, same board", "board" };
	unsigned level = level_bits(v), number = level_number(v), hop = bits(v, PERF_MEM_HOPS_SHIFT, 3);
	bool any = false, remote = bits(v, PERF_MEM_REMOTE_SHIFT, 1);
	if (remote)
		strbuf_addstr(out, "Remote ");
	if (hops[hop])
		strbuf_addf(out, number ? "%s " : "%s", hops[hop]);
	else if (!hop)
		any = add_names(out, level & ~(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS), names, COUNT(names), false);
	if (number) {
		strbuf_addstr(out, any ? " or " : "");
		add_level_number(out, number);
	} else if (!any && !hops[hop] && !remote) {
		strbuf_addstr(out, "N/A");
	}
	strbuf_addstr(out, level & PERF_MEM_LVL_HIT ? " hit" : "");
	strbuf_addstr(out, level & PERF_MEM_LVL_MISS ? " miss" : "");
}

static void add_snoop(struct strbuf *out, uint64_t v)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const more[] = { "Fwd", "Peer" };
	bool any = add_names(out, snoop_bits(v), names, COUNT(names), false);
	if (!add_names(out, bits(v, PERF_MEM_SNOOPX_SHIFT, 2), more, COUNT(more), any))
		strbuf_addstr(out, "N/A");
}

static void add_tlb(struct strbuf *out, uint64_t v)
{
	static const char *const names[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };
	unsigned tlb = tlb_bits(v);
	if (!add_names(out, tlb & ~(PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS), names, COUNT(names), false))
		strbuf_addstr(out, "N/A");
	strbuf_addstr(out, tlb & PERF_MEM_TLB_HIT ? " hit" : "");
	strbuf_addstr(out, tlb & PERF_MEM_TLB_MISS ? " miss" : "");
}

static void add_blocked(struct strbuf *out, uint64_t v)
{
	unsigned blocked = blocked_bits(v);
	if (!blocked || (blocked & PERF_MEM_BLK_NA)) {
		strbuf_addstr(out, " N/A");
		return;
	}
	if (blocked & PERF_MEM_BLK_DATA)
		strbuf_addstr(out, " Data");
	if (blocked & PERF_MEM_BLK_ADDR)
		strbuf_addstr(out, " Addr");
}

static void add_locked(struct strbuf *out, uint64_t v)
{
	unsigned lock = lock_bits(v);
	strbuf_addstr(out, lock & PERF_MEM_LOCK_NA ? "N/A" : lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

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

FORMAT(mem, add_level)
FORMAT(snoop, add_snoop)
FORMAT(locked, add_locked)
FORMAT(tlb, add_tlb)
FORMAT(blocked, add_blocked)
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
