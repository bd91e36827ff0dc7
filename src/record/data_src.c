#include "record/data_src.h"

#include <linux/perf_event.h>
#include <stdbool.h>

static union perf_mem_data_src parts(uint64_t word)
{
	return (union perf_mem_data_src){ .val = word };
}

void data_src_op(struct strbuf *out, uint64_t word)
{
	uint64_t op = parts(word).mem_op;
	strbuf_addstr(out, op & PERF_MEM_OP_NA     ? "N/A" :
		     op & PERF_MEM_OP_LOAD   ? "LOAD" :
		     op & PERF_MEM_OP_STORE  ? "STORE" :
		     op & PERF_MEM_OP_PFETCH ? "PFETCH" :
		     op & PERF_MEM_OP_EXEC   ? "EXEC" :
					       "No");
}

/* The names of the bits that are set, joined by " or "; returns how many there are now. */
static unsigned put_bits(struct strbuf *out, uint64_t bits, const char *const *names, unsigned names_nr, unsigned printed)
{
	for (unsigned i = 0; i < names_nr; i++) {
		if (!(bits >> i & 1))
			continue;
		if (printed++)
			strbuf_addstr(out, " or ");
		strbuf_addstr(out, names[i]);
	}
	return printed;
}

static void put_level_number(struct strbuf *out, unsigned n)
{
	static const char *const names[16] = { [0x8] = "UNC", [0x9] = "CXL", [0xa] = "I/O", [0xb] = "Any cache", [0xc] = "LFB/MAB",
					       [0xd] = "RAM", [0xe] = "PMEM", [0xf] = "N/A" };
	if (names[n])
		strbuf_addstr(out, names[n]);
	else
		strbuf_addf(out, "L%u", n);
}

void data_src_level(struct strbuf *out, uint64_t word)
{
	static const char *const levels[] = { "N/A", "HIT", "MISS", "L1", "LFB/MAB", "L2", "L3", "Local RAM",
					      "Remote RAM (1 hop)", "Remote RAM (2 hops)", "Remote Cache (1 hop)",
					      "Remote Cache (2 hops)", "I/O", "Uncached" };
	static const char *const hops[8] = { "N/A", "core, same node", "node, same socket", "socket, same board", "board" };
	union perf_mem_data_src d = parts(word);
	uint64_t level = d.mem_lvl;
	unsigned printed = 0;
	if (d.mem_remote)
		strbuf_addstr(out, "Remote ");
	bool has_hops = d.mem_hops && hops[d.mem_hops];
	if (has_hops) {
		strbuf_addstr(out, hops[d.mem_hops]);
		if (d.mem_lvl_num)
			strbuf_addch(out, ' ');
	} else if (!d.mem_hops) {
		printed = put_bits(out, level & ~(uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS), levels,
				   sizeof(levels) / sizeof(*levels), 0);
	}
	if (d.mem_lvl_num) {
		if (printed++)
			strbuf_addstr(out, " or ");
		put_level_number(out, d.mem_lvl_num);
	}
	if (!printed && !has_hops && !d.mem_remote)
		strbuf_addstr(out, "N/A");
	if (level & PERF_MEM_LVL_HIT)
		strbuf_addstr(out, " hit");
	if (level & PERF_MEM_LVL_MISS)
		strbuf_addstr(out, " miss");
}

void data_src_snoop(struct strbuf *out, uint64_t word)
{
	static const char *const snoops[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const more[] = { "Fwd", "Peer" };
	union perf_mem_data_src d = parts(word);
	unsigned printed = put_bits(out, d.mem_snoop, snoops, 5, 0);
	if (!put_bits(out, d.mem_snoopx, more, 2, printed))
		strbuf_addstr(out, "N/A");
}

void data_src_tlb(struct strbuf *out, uint64_t word)
{
	static const char *const names[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };
	uint64_t tlb = parts(word).mem_dtlb;
	if (!put_bits(out, tlb & ~(uint64_t)(PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS), names, 7, 0))
		strbuf_addstr(out, "N/A");
	if (tlb & PERF_MEM_TLB_HIT)
		strbuf_addstr(out, " hit");
	if (tlb & PERF_MEM_TLB_MISS)
		strbuf_addstr(out, " miss");
}

void data_src_lock(struct strbuf *out, uint64_t word)
{
	uint64_t lock = parts(word).mem_lock;
	strbuf_addstr(out, lock & PERF_MEM_LOCK_NA ? "N/A" : lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

void data_src_blocked(struct strbuf *out, uint64_t word)
{
	uint64_t blocked = parts(word).mem_blk;
	if (!blocked || blocked & PERF_MEM_BLK_NA) {
		strbuf_addstr(out, " N/A");
		return;
	}
	if (blocked & PERF_MEM_BLK_DATA)
		strbuf_addstr(out, " Data");
	if (blocked & PERF_MEM_BLK_ADDR)
		strbuf_addstr(out, " Addr");
}

void data_src_text(struct strbuf *out, uint64_t word)
{
	strbuf_addstr(out, "|OP ");
	data_src_op(out, word);
	strbuf_addstr(out, "|LVL ");
	data_src_level(out, word);
	strbuf_addstr(out, "|SNP ");
	data_src_snoop(out, word);
	strbuf_addstr(out, "|TLB ");
	data_src_tlb(out, word);
	strbuf_addstr(out, "|LCK ");
	data_src_lock(out, word);
	strbuf_addstr(out, "|BLK ");
	data_src_blocked(out, word);
}

const char *data_src_page_size(uint64_t bytes)
{
	static const char *const names[] = { "4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M", "4M",
					     "8M", "16M", "32M", "64M", "128M", "256M", "512M", "1G" };
	if (!bytes || bytes & (bytes - 1))
		return "N/A";
	int power = __builtin_ctzll(bytes) - 12;
	return power >= 0 && power < (int)(sizeof(names) / sizeof(*names)) ? names[power] : "N/A";
}
