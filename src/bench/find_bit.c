/* mem find_bit: the set bits of maps of 1 to 2048 bits, word by word and bit by bit. */
#include <inttypes.h>
#include <string.h>

#include "bench/priv.h"
#include "bench/tasks.h"

#define BITS_MAX     2048
#define OUTER_ROUNDS 5
#define INNER_ROUNDS 100000

struct bit_map {
	uint64_t words[BITS_MAX / 64];
	unsigned bits;
};

static struct bit_map map_of(unsigned bits, unsigned set)
{
	struct bit_map m = { .bits = bits };
	for (unsigned bit = 0; bit < bits; bit += bits / set)
		m.words[bit / 64] |= (uint64_t)1 << bit % 64;
	return m;
}

static uint64_t sum_by_word(const struct bit_map *m)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < (m->bits + 63) / 64; i++)
		for (uint64_t word = m->words[i]; word; word &= word - 1)
			sum += i * 64 + (unsigned)__builtin_ctzll(word);
	return sum;
}

static uint64_t sum_by_bit(const struct bit_map *m)
{
	uint64_t sum = 0;
	for (unsigned bit = 0; bit < m->bits; bit++)
		if (m->words[bit / 64] >> bit % 64 & 1)
			sum += bit;
	return sum;
}

struct way {
	const char *name, *padding;
	uint64_t (*sum)(const struct bit_map *m);
};
static const struct way ways[] = { { "for_each_set_bit", "", sum_by_word }, { "test_bit loop", "   ", sum_by_bit } };

/* The compiler must not see that the map stays the same. */
static uint64_t time_ns(const struct way *way, const struct bit_map *m, uint64_t rounds)
{
	uint64_t start_ns = bench_clock_ns();
	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t sum = way->sum(m);
		__asm__ volatile("" : : "r"(sum), "r"(m) : "memory");
	}
	return bench_clock_ns() - start_ns;
}

static void measure(const struct bench_settings *s, const struct bit_map *m, unsigned set, struct bench_report *r)
{
	uint64_t outer = s->internals.iterations ? s->internals.iterations : OUTER_ROUNDS;
	uint64_t inner = s->internals.inner ? s->internals.inner : INNER_ROUNDS;
	bench_line(r, "%" PRIu64 " operations %u bits set of %u bits\n", inner, set, m->bits);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct stats us = {};
		for (uint64_t round = 0; round < outer; round++)
			stats_add(&us, (double)time_ns(&ways[i], m, inner) / 1e3);
		bench_line(r, "  Average %s took:%s %.3f usec (+- %.3f usec)\n", ways[i].name, ways[i].padding, us.mean, stats_error(&us));
		bench_figure(r, arena_printf(&r->arena, "%s, %u of %u bits", ways[i].name, set, m->bits), "operation", "us",
			     us.mean / (double)inner);
	}
}

struct strobe_error *bench_find_bit(const struct bench_settings *s, struct bench_report *r)
{
	for (unsigned bits = 1; bits <= BITS_MAX; bits *= 2)
		for (unsigned set = 1; set <= bits; set *= 2) {
			const struct bit_map m = map_of(bits, set);
			measure(s, &m, set, r);
		}
	return NULL;
}
