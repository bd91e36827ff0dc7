/* Samples and trailers of the other byte order, turned into ours in place. */
#include "record/sample.h"

#define BRANCH_COUNTERS (1ull << 19)

struct swapper {
	uint64_t *at, *end;
};

static bool words(struct swapper *s, uint64_t n)
{
	if (n > (uint64_t)(s->end - s->at))
		return false;
	for (uint64_t i = 0; i < n; i++)
		s->at[i] = __builtin_bswap64(s->at[i]);
	s->at += n;
	return true;
}

/* A swapped word, and its value. */
static bool word(struct swapper *s, uint64_t *ret)
{
	if (!words(s, 1))
		return false;
	*ret = s->at[-1];
	return true;
}

static void swap_halves(void *p)
{
	uint32_t half[2];
	memcpy(half, p, sizeof(half));
	half[0] = __builtin_bswap32(half[0]);
	half[1] = __builtin_bswap32(half[1]);
	memcpy(p, half, sizeof(half));
}

static bool skip(struct swapper *s, uint64_t n)
{
	if (n > (uint64_t)(s->end - s->at))
		return false;
	s->at += n;
	return true;
}

static bool swap_read(const struct sample_layout *l, struct swapper *s)
{
	uint64_t format = l->read_format, nr = 1, each = 1, times = 0;

	each += !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	times += !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) + !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	if (format & PERF_FORMAT_GROUP && !word(s, &nr))
		return false;
	return nr <= (uint64_t)(s->end - s->at) / each && words(s, times + nr * each);
}

/* The flags of a branch are bit-fields, laid from the top bit down by compilers for big-endian machines. */
static uint64_t branch_flags(uint64_t v)
{
	static const uint8_t widths[] = { 1, 1, 1, 1, 16, 4, 2, 4, 3 };
	bool are_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	uint64_t ret = 0;
	unsigned top = 64, low = 0;

	for (size_t i = 0; i < sizeof(widths); i++) {
		top -= widths[i];
		ret |= (v >> (are_big ? low : top) & ((1ull << widths[i]) - 1)) << (are_big ? top : low);
		low += widths[i];
	}
	return ret;
}

static bool swap_branches(const struct sample_layout *l, struct swapper *s)
{
	uint64_t nr;

	if (!word(s, &nr))
		return false;
	if (l->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX && !words(s, 1))
		return false;
	if (nr > (uint64_t)(s->end - s->at) / 3)
		return false;
	for (uint64_t i = 0; i < nr; i++) {
		words(s, 3);
		s->at[-1] = branch_flags(s->at[-1]);
	}
	return !(l->branch_sample_type & BRANCH_COUNTERS) || words(s, nr);
}

static bool swap_regs(struct swapper *s, uint64_t mask)
{
	uint64_t abi;

	return word(s, &abi) && (!abi || words(s, (uint64_t)__builtin_popcountll(mask)));
}

/* A size and as many bytes, which stay as they are. */
static bool swap_blob(struct swapper *s, uint64_t *ret_bytes)
{
	return word(s, ret_bytes) && *ret_bytes <= (uint64_t)(s->end - s->at) * 8 && skip(s, (*ret_bytes + 7) / 8);
}

static bool swap_variable(const struct sample_layout *l, struct swapper *s)
{
	uint64_t type = l->sample_type, n;

	if (type & PERF_SAMPLE_READ && !swap_read(l, s))
		return false;
	if (type & PERF_SAMPLE_CALLCHAIN && !(word(s, &n) && words(s, n)))
		return false;
	if (type & PERF_SAMPLE_RAW) {
		uint32_t bytes;
		if (s->at >= s->end)
			return false;
		memcpy(&bytes, s->at, sizeof(bytes));
		bytes = __builtin_bswap32(bytes);
		memcpy(s->at, &bytes, sizeof(bytes));
		if (!skip(s, ((uint64_t)bytes + sizeof(bytes) + 7) / 8))
			return false;
	}
	if (type & PERF_SAMPLE_BRANCH_STACK && !swap_branches(l, s))
		return false;
	if (type & PERF_SAMPLE_REGS_USER && !swap_regs(s, l->user_regs_mask))
		return false;
	if (type & PERF_SAMPLE_STACK_USER && (!swap_blob(s, &n) || (n && !words(s, 1))))
		return false;
	/* WEIGHT_STRUCT, like data_src, is laid so that the whole word has one meaning in both orders. */
	n = !!(type & PERF_SAMPLE_WEIGHT_TYPE) + !!(type & PERF_SAMPLE_DATA_SRC) + !!(type & PERF_SAMPLE_TRANSACTION);
	if (!words(s, n))
		return false;
	if (type & PERF_SAMPLE_REGS_INTR && !swap_regs(s, l->intr_regs_mask))
		return false;
	n = !!(type & PERF_SAMPLE_PHYS_ADDR) + !!(type & PERF_SAMPLE_CGROUP) + !!(type & PERF_SAMPLE_DATA_PAGE_SIZE) +
	    !!(type & PERF_SAMPLE_CODE_PAGE_SIZE);
	if (!words(s, n))
		return false;
	return !(type & PERF_SAMPLE_AUX) || swap_blob(s, &n);
}

bool sample_swap(const struct sample_layout *l, void *bytes)
{
	struct perf_event_header *hdr = bytes;
	struct swapper s = {
		.at = (uint64_t *)((char *)bytes + sizeof(*hdr)),
		.end = (uint64_t *)((char *)bytes + (hdr->size & ~7u)),
	};

	if (hdr->size < l->variable)
		return false;
	words(&s, (l->variable - sizeof(*hdr)) / 8);
	/* Two fields are pairs of 32 bits: swapped as one word they have changed places. */
	uint16_t pairs[] = { l->tid, l->cpu };
	for (size_t i = 0; i < 2; i++) {
		if (pairs[i] == SAMPLE_NO_OFFSET)
			continue;
		uint64_t v = sample_word((struct record){ .hdr = hdr }, pairs[i]);
		v = v << 32 | v >> 32;
		memcpy((char *)bytes + pairs[i], &v, sizeof(v));
	}
	return swap_variable(l, &s);
}

void sample_tail_swap(const struct sample_layout *l, void *bytes)
{
	struct perf_event_header *hdr = bytes;

	if (hdr->size < sizeof(*hdr) + l->tail_bytes)
		return;
	char *end = (char *)bytes + hdr->size;
	for (uint16_t back = l->tail_bytes; back; back -= 8) {
		uint64_t v;
		if (back == l->tail_tid || back == l->tail_cpu) {
			swap_halves(end - back);
			continue;
		}
		memcpy(&v, end - back, sizeof(v));
		v = __builtin_bswap64(v);
		memcpy(end - back, &v, sizeof(v));
	}
}
