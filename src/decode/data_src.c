#include "decode/data_src.h"

#include <linux/perf_event.h>

static union perf_mem_data_src parts(uint64_t word)
{
	return (union perf_mem_data_src){ .val = word };
}

void data_src_op(struct out *out, uint64_t word)
{
	uint64_t op = parts(word).mem_op;
	out_str(out, op & PERF_MEM_OP_NA     ? "N/A" :
		     op & PERF_MEM_OP_LOAD   ? "LOAD" :
		     op & PERF_MEM_OP_STORE  ? "STORE" :
		     op & PERF_MEM_OP_PFETCH ? "PFETCH" :
		     op & PERF_MEM_OP_EXEC   ? "EXEC" :
					       "No");
}

/* The names of the bits that are set, joined by " or "; returns how many stand there now. */
static unsigned put_bits(struct out *out, uint64_t bits, const char *const *names, unsigned names_nr, unsigned printed)
{
	for (unsigned i = 0; i < names_nr; i++) {
		if (!(bits >> i & 1))
			continue;
		if (printed++)
			out_str(out, " or ");
		out_str(out, names[i]);
	}
	return printed;
}

static void put_level_number(struct out *out, unsigned n)
{
	static const char *const names[16] = { [0x8] = "UNC", [0x9] = "CXL", [0xa] = "I/O", [0xb] = "Any cache", [0xc] = "LFB/MAB",
					       [0xd] = "RAM", [0xe] = "PMEM", [0xf] = "N/A" };
	if (names[n])
		out_str(out, names[n]);
	else
		out_f(out, "L%u", n);
}

void data_src_level(struct out *out, uint64_t word)
{
	static const char *const levels[] = { "N/A", "HIT", "MISS", "L1", "LFB/MAB", "L2", "L3", "Local RAM",
					      "Remote RAM (1 hop)", "Remote RAM (2 hops)", "Remote Cache (1 hop)",
					      "Remote Cache (2 hops)", "I/O", "Uncached" };
	static const char *const hops[8] = { "N/A", "core, same node", "node, same socket", "socket, same board", "board" };
	union perf_mem_data_src d = parts(word);
	uint64_t level = d.mem_lvl;
	unsigned printed = 0;
	if (d.mem_remote)
		out_str(out, "Remote ");
	bool has_hops = d.mem_hops && hops[d.mem_hops];
	if (has_hops) {
		out_str(out, hops[d.mem_hops]);
		if (d.mem_lvl_num)
			out_ch(out, ' ');
	} else if (!d.mem_hops) {
		printed = put_bits(out, level & ~(uint64_t)(PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS), levels,
				   sizeof(levels) / sizeof(*levels), 0);
	}
	if (d.mem_lvl_num) {
		if (printed++)
			out_str(out, " or ");
		put_level_number(out, d.mem_lvl_num);
	}
	if (!printed && !has_hops && !d.mem_remote)
		out_str(out, "N/A");
	if (level & PERF_MEM_LVL_HIT)
		out_str(out, " hit");
	if (level & PERF_MEM_LVL_MISS)
		out_str(out, " miss");
}

void data_src_snoop(struct out *out, uint64_t word)
{
	static const char *const snoops[] = { "N/A", "None", "Hit", "Miss", "HitM" };
	static const char *const more[] = { "Fwd", "Peer" };
	union perf_mem_data_src d = parts(word);
	unsigned printed = put_bits(out, d.mem_snoop, snoops, 5, 0);
	if (!put_bits(out, d.mem_snoopx, more, 2, printed))
		out_str(out, "N/A");
}

void data_src_tlb(struct out *out, uint64_t word)
{
	static const char *const names[] = { "N/A", "HIT", "MISS", "L1", "L2", "Walker", "Fault" };
	uint64_t tlb = parts(word).mem_dtlb;
	if (!put_bits(out, tlb & ~(uint64_t)(PERF_MEM_TLB_HIT | PERF_MEM_TLB_MISS), names, 7, 0))
		out_str(out, "N/A");
	if (tlb & PERF_MEM_TLB_HIT)
		out_str(out, " hit");
	if (tlb & PERF_MEM_TLB_MISS)
		out_str(out, " miss");
}

void data_src_lock(struct out *out, uint64_t word)
{
	uint64_t lock = parts(word).mem_lock;
	out_str(out, lock & PERF_MEM_LOCK_NA ? "N/A" : lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

void data_src_blocked(struct out *out, uint64_t word)
{
	uint64_t blocked = parts(word).mem_blk;
	if (!blocked || blocked & PERF_MEM_BLK_NA) {
		out_str(out, " N/A");
		return;
	}
	if (blocked & PERF_MEM_BLK_DATA)
		out_str(out, " Data");
	if (blocked & PERF_MEM_BLK_ADDR)
		out_str(out, " Addr");
}

void data_src_text(struct out *out, uint64_t word)
{
	out_str(out, "|OP ");
	data_src_op(out, word);
	out_str(out, "|LVL ");
	data_src_level(out, word);
	out_str(out, "|SNP ");
	data_src_snoop(out, word);
	out_str(out, "|TLB ");
	data_src_tlb(out, word);
	out_str(out, "|LCK ");
	data_src_lock(out, word);
	out_str(out, "|BLK ");
	data_src_blocked(out, word);
}
