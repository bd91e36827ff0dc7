/*
 * mem memcpy and memset: libc's functions, and on x86-64 an unrolled loop and the string instructions, over mapped buffers.
 *
 * Each function runs once before it is timed, so that no page is touched for the first time in the measurement.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "bench/mem.h"
#include "bench/tasks.h"
#include "sys/sys.h"

#define FILL           0x5a
#define MAP_SIZE_SHIFT 26 /* MAP_HUGE_SHIFT */

struct buffers {
	uint8_t *to, *from;
	uint64_t bytes, mapped_bytes;
};

struct function {
	const char *name, *summary;
	void (*run)(uint8_t *to, const uint8_t *from, uint64_t bytes);
};

/* Keeps the compiler from dropping calls whose result is unused. */
static void is_used(const void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

static void copy_libc(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	memcpy(to, from, bytes);
	is_used(to);
}

static void set_libc(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	(void)from;
	memset(to, FILL, bytes);
	is_used(to);
}

#ifdef __x86_64__

static void copy_unrolled(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	uint64_t a, b, c, d, e, f, g, h, blocks = bytes / 64;
	for (; blocks; blocks--, to += 64, from += 64)
		__asm__ volatile("movq (%8), %0; movq 8(%8), %1; movq 16(%8), %2; movq 24(%8), %3\n"
				 "movq 32(%8), %4; movq 40(%8), %5; movq 48(%8), %6; movq 56(%8), %7\n"
				 "movq %0, (%9); movq %1, 8(%9); movq %2, 16(%9); movq %3, 24(%9)\n"
				 "movq %4, 32(%9); movq %5, 40(%9); movq %6, 48(%9); movq %7, 56(%9)"
				 : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d), "=&r"(e), "=&r"(f), "=&r"(g), "=&r"(h)
				 : "r"(from), "r"(to)
				 : "memory");
	for (bytes %= 64; bytes; bytes--)
		*to++ = *from++;
}

static void copy_bytes(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static void copy_words(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	uint64_t words = bytes / 8;
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
	copy_bytes(to, from, bytes % 8);
}

static void set_unrolled(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	const uint64_t word = FILL * UINT64_C(0x0101010101010101);
	(void)from;
	for (uint64_t blocks = bytes / 64; blocks; blocks--, to += 64)
		__asm__ volatile("movq %0, (%1); movq %0, 8(%1); movq %0, 16(%1); movq %0, 24(%1)\n"
				 "movq %0, 32(%1); movq %0, 40(%1); movq %0, 48(%1); movq %0, 56(%1)"
				 :
				 : "r"(word), "r"(to)
				 : "memory");
	for (bytes %= 64; bytes; bytes--)
		*to++ = FILL;
}

static void set_bytes(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	(void)from;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(FILL) : "memory");
}

static void set_words(uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	uint64_t words = bytes / 8;
	__asm__ volatile("rep stosq" : "+D"(to), "+c"(words) : "a"(FILL * UINT64_C(0x0101010101010101)) : "memory");
	set_bytes(to, from, bytes % 8);
}

#endif

static const struct function copies[] = {
	{ "default", "Default memcpy() provided by glibc", copy_libc },
#ifdef __x86_64__
	{ "x86-64-unrolled", "unrolled memcpy(), 64 bytes per iteration", copy_unrolled },
	{ "x86-64-movsq", "movsq-based memcpy()", copy_words },
	{ "x86-64-movsb", "movsb-based memcpy()", copy_bytes },
#endif
	{},
};

static const struct function sets[] = {
	{ "default", "Default memset() provided by glibc", set_libc },
#ifdef __x86_64__
	{ "x86-64-unrolled", "unrolled memset(), 64 bytes per iteration", set_unrolled },
	{ "x86-64-stosq", "stosq-based memset()", set_words },
	{ "x86-64-stosb", "stosb-based memset()", set_bytes },
#endif
	{},
};

/* ---- buffers ---- */

struct strobe_error *mem_map(uint64_t bytes, uint64_t page_bytes, int more_flags, uint8_t **ret)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | more_flags;
	if (page_bytes > MEM_PAGE_BYTES)
		flags |= MAP_HUGETLB | (int)((unsigned)__builtin_ctzll(page_bytes) << MAP_SIZE_SHIFT);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (p == MAP_FAILED)
		return error_errno(errno, "cannot allocate %" PRIu64 " bytes%s", bytes,
				   page_bytes > MEM_PAGE_BYTES ? " of huge pages (see /proc/sys/vm/nr_hugepages)" : "");
	*ret = p;
	return NULL;
}

static void unmap(struct buffers *b)
{
	if (b->to)
		munmap(b->to, b->mapped_bytes);
	if (b->from)
		munmap(b->from, b->mapped_bytes);
}

static struct strobe_error *map_both(struct buffers *b, const struct bench_settings *s)
{
	uint64_t page = s->page_bytes ? s->page_bytes : MEM_PAGE_BYTES;
	*b = (struct buffers){ .bytes = s->bytes ? s->bytes : MEM_DEFAULT_BYTES };
	if (b->bytes > INT64_MAX - page)
		return error_create(ERROR_USAGE, "a size of %" PRIu64 " bytes is too large", b->bytes);
	b->mapped_bytes = (b->bytes + page - 1) / page * page;
	TRY(mem_map(b->mapped_bytes, page, 0, &b->to));
	struct strobe_error *err = mem_map(b->mapped_bytes, page, 0, &b->from);
	if (err)
		unmap(b);
	else
		memset(b->from, FILL, b->bytes);
	return err;
}

/* ---- measurement ---- */

static void run_over(const struct function *f, const struct buffers *b, uint64_t chunk)
{
	for (uint64_t at = 0; at < b->bytes; at += chunk)
		f->run(b->to + at, b->from + at, b->bytes - at < chunk ? b->bytes - at : chunk);
}

struct strobe_error *mem_open_cycles(int *ret)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .size = sizeof(attr), .config = PERF_COUNT_HW_CPU_CYCLES };
	*ret = sys_perf_event_open(sys_live(), &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return *ret < 0 ? error_errno(-*ret, "cannot count cycles: this CPU, or this guest, may have no counter for them; omit -c") :
		NULL;
}

uint64_t mem_read_cycles(int fd)
{
	uint64_t n = 0;
	(void)!read(fd, &n, sizeof(n));
	return n;
}

void mem_put_rate(struct bench_report *r, double bytes_per_s, const char *more)
{
	static const char *const units[] = { "B", "KB", "MB", "GB" };
	double shown = bytes_per_s;
	int unit = 0;
	for (; shown >= 1024 && unit < 3; unit++)
		shown /= 1024;
	bench_text(r, " %14f %s/sec%s\n", shown, units[unit], more);
	bench_simple(r, "%f\n", bytes_per_s);
}

/* cycles: a counter, or -1. */
static void measure(struct bench_report *r, const struct function *f, const struct buffers *b, const struct bench_settings *s, int cycles)
{
	uint64_t loops = s->loops ? s->loops : 1, chunk = s->chunk_bytes && s->chunk_bytes < b->bytes ? s->chunk_bytes : b->bytes;
	double bytes = (double)b->bytes * (double)loops;
	bench_line(r, "# function '%s' (%s)\n", f->name, f->summary);
	bench_text(r, "# Copying %s bytes ...\n\n", s->size ? s->size : MEM_DEFAULT_SIZE);
	run_over(f, b, chunk);
	uint64_t from_cycles = cycles >= 0 ? mem_read_cycles(cycles) : 0, start_ns = bench_clock_ns();
	for (uint64_t i = 0; i < loops; i++)
		run_over(f, b, chunk);
	uint64_t ns = bench_clock_ns() - start_ns, took = cycles >= 0 ? mem_read_cycles(cycles) - from_cycles : 0;
	double rate = bytes * (double)NS_PER_S / (double)(ns ? ns : 1);
	if (cycles >= 0) {
		bench_text(r, " %14f cycles/byte\n", (double)took / bytes);
		bench_simple(r, "%f\n", (double)took / bytes);
		bench_figure(r, f->name, "cycles", "cycles/byte", (double)took / bytes);
	} else {
		mem_put_rate(r, rate, "");
	}
	bench_figure(r, f->name, "rate", "B/s", rate);
}

static struct strobe_error *find(const struct function *functions, const char *name, const struct function **ret)
{
	_cleanup_strbuf_ struct strbuf names = {};
	*ret = NULL;
	for (const struct function *f = functions; f->name; f++) {
		if (!strcmp(f->name, name))
			*ret = f;
		strbuf_addf(&names, "%s%s", f == functions ? "" : ", ", f->name);
	}
	return *ret ? NULL : error_create(ERROR_USAGE, "unknown function '%s': expected %s", name, strbuf_str(&names));
}

static struct strobe_error *measure_all(struct bench_report *r, const struct function *functions, const struct function *only,
					const struct bench_settings *s)
{
	struct buffers b;
	int cycles = -1;
	if (s->cycles)
		TRY(mem_open_cycles(&cycles));
	struct strobe_error *err = map_both(&b, s);
	if (!err) {
		bench_setting(r, "bytes", b.bytes);
		bench_setting(r, "loops", s->loops ? s->loops : 1);
		for (const struct function *f = functions; f->name; f++)
			if (!only || f == only)
				measure(r, f, &b, s, cycles);
		unmap(&b);
	}
	if (cycles >= 0)
		close(cycles);
	return err;
}

static struct strobe_error *run(struct bench_report *r, const struct function *functions, const struct bench_settings *s)
{
	const struct function *only = NULL;
	if (s->function && !strcmp(s->function, "help")) {
		bench_line(r, "Available functions:\n");
		for (const struct function *f = functions; f->name; f++)
			bench_line(r, "\t%s ... %s\n", f->name, f->summary);
		return NULL;
	}
	if (s->function && strcmp(s->function, "all") != 0)
		TRY(find(functions, s->function, &only));
	return measure_all(r, functions, only, s);
}

struct strobe_error *bench_memcpy(const struct bench_settings *s, struct bench_report *r)
{
	return run(r, copies, s);
}

struct strobe_error *bench_memset(const struct bench_settings *s, struct bench_report *r)
{
	return run(r, sets, s);
}
