#include <errno.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/numa.h"

#define PIECE_WORDS 1024 /* accessed in order, at random offsets */
#define PLACES_MAX  65536

/* xorshift, Marsaglia 2003; the state is not 0 */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static uint64_t access_word(volatile uint64_t *word, const struct bench_numa *s, uint64_t sum)
{
	if (!s->no_reads)
		sum += *word;
	if (!s->no_writes)
		*word = sum;
	return sum;
}

static uint64_t walk(uint64_t *words, size_t n, const struct bench_numa *s, bool is_backwards)
{
	uint64_t sum = 1;
	for (size_t i = 0; i < n; i++)
		sum = access_word(&words[is_backwards ? n - 1 - i : i], s, sum);
	return sum;
}

uint64_t numa_access(uint64_t *words, size_t bytes, const struct bench_numa *s, uint64_t loop, uint64_t *random)
{
	size_t n = bytes / sizeof(*words), piece = n < PIECE_WORDS ? n : PIECE_WORDS;
	bool is_backwards = !s->no_backwards && loop % 2;
	uint64_t sum = 0;
	if (!n)
		return 0;
	if (s->zero_memset) {
		memset(words, 0, bytes);
		__asm__ volatile("" : : "r"(words) : "memory");
		return 0;
	}
	if (s->no_random_walk)
		return walk(words, n, s, is_backwards);
	for (size_t done = 0; done < n; done += piece)
		sum += walk(words + next_random(random) % (n - piece + 1), piece, s, is_backwards);
	return sum;
}

static void fill(uint64_t *words, size_t bytes, const struct bench_numa *s)
{
	uint64_t random = 88172645463325252;
	if (s->init_zero)
		memset(words, 0, bytes);
	for (size_t i = 0; !s->no_init_random && i < bytes / sizeof(*words); i++)
		words[i] = next_random(&random);
}

/* Runs on CPU 0 if the settings say so: pages are allocated on the node of the CPU that touches them first. */
static struct strobe_error *fill_where_set(uint64_t *words, size_t bytes, const struct bench_numa *s)
{
	cpu_set_t before;
	if (!s->init_cpu0) {
		fill(words, bytes, s);
		return NULL;
	}
	if (sched_getaffinity(0, sizeof(before), &before))
		return error_errno(errno, "cannot read the CPUs of this thread");
	int e = numa_bind_cpu(0);
	if (e)
		return error_errno(e, "cannot run on CPU 0 (-0)");
	fill(words, bytes, s);
	sched_setaffinity(0, sizeof(before), &before);
	return NULL;
}

struct strobe_error *numa_allocate(size_t bytes, const struct bench_numa *s, bool is_shared, uint64_t **ret)
{
	*ret = NULL;
	if (!bytes)
		return NULL;
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | (is_shared ? MAP_SHARED : MAP_PRIVATE), -1, 0);
	if (p == MAP_FAILED)
		return error_errno(errno, "cannot allocate %zu bytes", bytes);
	if (s->huge_pages && madvise(p, bytes, s->huge_pages > 0 ? MADV_HUGEPAGE : MADV_NOHUGEPAGE)) {
		int e = errno;
		munmap(p, bytes);
		return error_errno(e, "cannot choose the size of pages (-H)");
	}
	*ret = p;
	return fill_where_set(p, bytes, s);
}

/* ---- where tasks run ---- */

static bool read_number(const char **text, uint32_t *ret)
{
	char *end;
	if (**text < '0' || **text > '9')
		return false;
	unsigned long n = strtoul(*text, &end, 10);
	*ret = (uint32_t)n;
	*text = end;
	return n < PLACES_MAX;
}

/* "3", "2-4", "2-4x2" */
static bool read_places(const char **text, numa_places *ret)
{
	uint32_t from, to, times = 1;
	if (!read_number(text, &from))
		return false;
	to = from;
	if (**text == '-' && (++*text, !read_number(text, &to)))
		return false;
	if (**text == 'x' && (++*text, !read_number(text, &times)))
		return false;
	for (uint32_t place = from; place <= to; place++)
		for (uint32_t i = 0; i < times && ret->len < PLACES_MAX; i++)
			vec_push(ret, place);
	return from <= to;
}

struct strobe_error *numa_parse(const char *list, const char *option, numa_places *ret)
{
	for (const char *at = list; at;) {
		if (!read_places(&at, ret) || (*at && *at != ','))
			return error_create(ERROR_USAGE, "%s: invalid list '%s': expected a list such as 0,2-3x2", option, list);
		at = *at ? at + 1 : NULL;
	}
	return NULL;
}

int numa_bind_cpu(uint32_t cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	if (cpu >= CPU_SETSIZE)
		return EINVAL;
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? errno : 0;
}

int numa_bind_memory(uint32_t node)
{
	unsigned long mask[PLACES_MAX / (8 * sizeof(long)) / 64] = {}; /* 1024 nodes, the kernel's maximum */
	const uint32_t bits = 8 * sizeof(*mask), most = (uint32_t)sizeof(mask) * 8;
	if (node >= most)
		return EINVAL;
	mask[node / bits] = 1UL << node % bits;
	return syscall(SYS_set_mempolicy, MPOL_BIND, mask, (unsigned long)most) ? errno : 0;
}
