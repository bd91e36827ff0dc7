#include "rewrite/aslr.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/u64map.h"
#include "base/vector.h"

#define RECORD_BYTES_MAX 65536
#define PAGE		 4096ull

/* What was below 4 GB stays there, and no other: that is how the vdso of a 32-bit program is known (machine/files.c). */
#define LOW_BASE    0x200000ull
#define LOW_END     (1ull << 32)
#define USER_BASE   (LOW_END + LOW_BASE)
#define KERNEL_BASE 0xffff800010000000ull
#define KERNEL_SPAN (1ull << 30) /* size of the kernel's own image: records do not contain the end of its last section */

#define CONTEXT_USER_DEFERRED ((uint64_t)-640) /* a cookie follows it in a chain, not an address */

/* Samples with these reveal memory contents or physical locations. */
#define REVEALING (PERF_SAMPLE_RAW | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_AUX)

/* A range of a file as it was mapped, and its new address. */
struct piece {
	uint64_t pgoff, len, start;
	size_t next; /* 1 + index of another piece of the same file whose first byte would be at the same address; 0: none */
};

struct aslr {
	struct resolver *resolver;
	struct arena arena;
	const struct env *from;
	struct env env;
	VEC(struct env_event) events;
	VEC(struct env_section) sections;
	VEC(struct piece) pieces;
	VEC(struct perf_branch_entry) branches;
	VEC(uint64_t) chain;
	struct u64map first; /* by key_of(): 1 + index of the first piece */
	uint64_t low_next, user_next, kernel_next, dropped;
	char buffer[RECORD_BYTES_MAX];
};

static void change_event(struct aslr *a, struct env_event *ev)
{
	struct perf_event_attr *attr = &ev->attr;
	attr->sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR);
	attr->sample_regs_user = attr->sample_regs_intr = 0;
	if (attr->type == PERF_TYPE_BREAKPOINT)
		attr->bp_addr = 0;
	env_event_changed(&a->arena, ev);
}

/* A stream, or a damaged file, may name events later. */
static void learn_events(struct aslr *a)
{
	for (size_t i = a->events.len; i < a->from->events.len; i++) {
		vec_push(&a->events, a->from->events.data[i]);
		change_event(a, &a->events.data[i]);
	}
	a->env.events.data = a->events.data;
	a->env.events.len = a->events.len;
	a->env.events.cap = a->events.cap;
}

struct aslr *aslr_create(struct resolver *r, const struct env *env)
{
	struct aslr *a = xcalloc(1, sizeof(*a));
	arena_init(&a->arena);
	a->resolver = r;
	a->from = env;
	a->env = *env;
	a->low_next = LOW_BASE;
	a->user_next = USER_BASE;
	a->kernel_next = KERNEL_BASE + KERNEL_SPAN;
	learn_events(a);
	/* Contains load addresses of BPF programs. */
	for (size_t i = 0; i < env->sections.len; i++)
		if (env->sections.data[i].bit != FEATURE_BPF_PROG_INFO && env->sections.data[i].bit != FEATURE_AUXTRACE)
			vec_push(&a->sections, env->sections.data[i]);
	a->env.sections.data = a->sections.data;
	a->env.sections.len = a->sections.len;
	a->env.sections.cap = a->sections.cap;
	a->env.bpf_progs.len = 0;
	a->env.has_auxtrace = false;
	return a;
}

void aslr_destroy(struct aslr *a)
{
	if (!a)
		return;
	u64map_deinit(&a->first);
	vec_deinit(&a->events);
	vec_deinit(&a->sections);
	vec_deinit(&a->pieces);
	vec_deinit(&a->branches);
	vec_deinit(&a->chain);
	arena_deinit(&a->arena);
	free(a);
}

const struct env *aslr_env(const struct aslr *a)
{
	return &a->env;
}

uint64_t aslr_dropped(const struct aslr *a)
{
	return a->dropped;
}

static bool is_of_kernel(const struct mapped_file *file)
{
	return file->kind == MAPPED_KERNEL || file->kind == MAPPED_MODULE || file->kind == MAPPED_BPF ||
	       file->kind == MAPPED_OTHER_KERNEL;
}

static uint64_t place(struct aslr *a, const struct mapped_file *file, uint64_t start, uint64_t len)
{
	uint64_t *next = is_of_kernel(file) ? &a->kernel_next : start < LOW_END ? &a->low_next : &a->user_next;
	uint64_t at = *next + (start & (PAGE - 1));
	if (file->kind == MAPPED_KERNEL)
		return KERNEL_BASE;
	*next += ((start & (PAGE - 1)) + len + 2 * PAGE - 1) & ~(PAGE - 1);
	return at;
}

/*
 * The new address of byte pgoff of the file. Its mapping starts at start, or started there before a later one cut it off: the key is the
 * address that the file's first byte would have. An unknown mapping is assigned an address now.
 */
static uint64_t new_address(struct aslr *a, const struct mapped_file *file, uint64_t start, uint64_t pgoff, uint64_t len)
{
	uint64_t words[] = { file->id, start - pgoff };
	uint64_t *first = u64map_put(&a->first, hash_u64s(words, 2, 0), NULL);
	for (size_t i = *first; i; i = a->pieces.data[i - 1].next) {
		const struct piece *p = &a->pieces.data[i - 1];
		if (pgoff >= p->pgoff && pgoff - p->pgoff < p->len)
			return p->start + (pgoff - p->pgoff);
	}
	struct piece p = { .pgoff = pgoff, .len = len ? len : 1, .start = place(a, file, start, len), .next = *first };
	if (file->kind == MAPPED_KERNEL)
		p.len = KERNEL_SPAN;
	vec_push(&a->pieces, p);
	*first = a->pieces.len;
	return p.start;
}

static uint64_t moved(struct aslr *a, const struct machine_view *v, uint16_t mode, uint64_t address)
{
	const struct map *map = machine_space_map(resolver_machine(a->resolver), v->space, mode, address);
	if (!map || (map->file->kind == MAPPED_KERNEL && address - map->start >= KERNEL_SPAN))
		return 0;
	uint64_t offset = address - map->start;
	return new_address(a, map->file, map->start, map->pgoff, map->end - map->start) + offset;
}

static struct machine_view view_at(struct aslr *a, struct record r, uint32_t pid, uint32_t tid)
{
	uint64_t time;
	if (!env_record_time(a->from, r, &time))
		time = r.file_offset;
	return machine_view(resolver_machine(a->resolver), pid, tid, time);
}

/* The cpumode of the addresses that follow a marker. */
static uint16_t mode_after(uint64_t context)
{
	switch (context) {
	case PERF_CONTEXT_KERNEL:
		return PERF_RECORD_MISC_KERNEL;
	case PERF_CONTEXT_USER:
		return PERF_RECORD_MISC_USER;
	case PERF_CONTEXT_GUEST_KERNEL:
		return PERF_RECORD_MISC_GUEST_KERNEL;
	case PERF_CONTEXT_GUEST_USER:
		return PERF_RECORD_MISC_GUEST_USER;
	default:
		return CPUMODE_UNKNOWN;
	}
}

static void move_chain(struct aslr *a, const struct machine_view *v, uint16_t mode, const uint64_t *from, uint64_t n, uint64_t *to)
{
	bool cookie = false;
	for (uint64_t i = 0; i < n; i++) {
		bool is_context = from[i] >= PERF_CONTEXT_MAX;
		to[i] = is_context || cookie ? from[i] : moved(a, v, mode, from[i]);
		cookie = from[i] == CONTEXT_USER_DEFERRED;
		if (is_context)
			mode = mode_after(from[i]);
	}
}

static void move_sample(struct aslr *a, const struct machine_view *v, struct sample *s)
{
	uint16_t mode = s->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	s->ip = moved(a, v, mode, s->ip);
	s->addr = s->addr ? moved(a, v, CPUMODE_UNKNOWN, s->addr) : 0;
	vec_clear(&a->chain);
	vec_reserve(&a->chain, s->callchain_nr + 1);
	move_chain(a, v, mode, s->callchain, s->callchain_nr, a->chain.data);
	s->callchain = a->chain.data;
	vec_clear(&a->branches);
	for (uint64_t i = 0; i < s->branch_nr; i++) {
		struct perf_branch_entry b = s->branches[i];
		b.from = moved(a, v, CPUMODE_UNKNOWN, b.from);
		b.to = moved(a, v, CPUMODE_UNKNOWN, b.to);
		vec_push(&a->branches, b);
	}
	s->branches = a->branches.data;
	s->user_regs = s->intr_regs = (struct sample_regs){};
}

static struct strobe_error *write_sample(struct aslr *a, struct record r, struct record_sink *out)
{
	struct sample s;
	if (!env_decode_sample(a->from, r, &s) || a->from->events.data[s.event].attr.sample_type & REVEALING) {
		a->dropped++;
		return NULL;
	}
	learn_events(a);
	struct machine_view v = view_at(a, r, s.pid, s.tid);
	move_sample(a, &v, &s);
	size_t n = sample_encode(&a->env.events.data[s.event].layout, &s, a->buffer, RECORD_BYTES_MAX);
	a->dropped += !n;
	return n ? sink_write(out, a->buffer, n) : NULL;
}

/* Offsets of numbers in records that begin with pid and tid, or with an address. */
#define MMAP_START (sizeof(struct perf_event_header) + 8)
#define MMAP_PGOFF (MMAP_START + 16)
#define KSYMBOL_ADDR sizeof(struct perf_event_header)

static void put_word(struct aslr *a, size_t offset, uint64_t v)
{
	memcpy(a->buffer + offset, &v, sizeof(v));
}

static struct strobe_error *write_mmap(struct aslr *a, struct record r, struct record_sink *out)
{
	struct record_mmap map;
	if (!record_decode_mmap(r, &map))
		return NULL;
	const struct mapped_file *file = machine_file_of(resolver_machine(a->resolver), r);
	uint64_t pgoff = file->kind == MAPPED_VDSO ? 0 : map.pgoff;
	uint64_t start = new_address(a, file, map.start, pgoff, map.len);
	memcpy(a->buffer, r.hdr, r.hdr->size);
	put_word(a, MMAP_START, start);
	/* The kernel's pgoff is an address, and so is that of anonymous memory. */
	if (file->kind == MAPPED_KERNEL)
		put_word(a, MMAP_PGOFF, start + (map.pgoff - map.start));
	else if (file->kind == MAPPED_ANON || file->kind == MAPPED_VDSO)
		put_word(a, MMAP_PGOFF, file->kind == MAPPED_ANON ? start : 0);
	return sink_write(out, a->buffer, r.hdr->size);
}

static struct strobe_error *write_ksymbol(struct aslr *a, struct record r, struct record_sink *out)
{
	struct record_ksymbol symbol;
	if (!record_decode_ksymbol(r, &symbol))
		return NULL;
	const struct mapped_file *file = machine_file_of(resolver_machine(a->resolver), r);
	memcpy(a->buffer, r.hdr, r.hdr->size);
	put_word(a, KSYMBOL_ADDR, new_address(a, file, symbol.addr, symbol.addr, symbol.len));
	return sink_write(out, a->buffer, r.hdr->size);
}

/* Cookie, count, addresses; the trailer has the task. */
static struct strobe_error *write_deferred(struct aslr *a, struct record r, struct record_sink *out)
{
	const size_t head = sizeof(*r.hdr) + 2 * sizeof(uint64_t);
	struct sample_tail tail;
	if (!sample_tail_decode(env_tail_layout(a->from), r, &tail) || r.hdr->size < head)
		return NULL;
	uint64_t n = sample_word(r, sizeof(*r.hdr) + sizeof(uint64_t));
	if (n > (r.hdr->size - head) / sizeof(uint64_t))
		return NULL;
	struct machine_view v = view_at(a, r, tail.pid, tail.tid);
	memcpy(a->buffer, r.hdr, r.hdr->size);
	move_chain(a, &v, PERF_RECORD_MISC_USER, (const uint64_t *)((const char *)r.hdr + head), n, (uint64_t *)(a->buffer + head));
	return sink_write(out, a->buffer, r.hdr->size);
}

struct strobe_error *aslr_record(struct aslr *a, struct record r, struct record_sink *out, bool *ret_keep)
{
	*ret_keep = false;
	switch (r.hdr->type) {
	case PERF_RECORD_SAMPLE:
		return write_sample(a, r, out);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return write_mmap(a, r, out);
	case PERF_RECORD_KSYMBOL:
		return write_ksymbol(a, r, out);
	case RECORD_CALLCHAIN_DEFERRED:
		return write_deferred(a, r, out);
	case PERF_RECORD_TEXT_POKE: /* instructions with addresses in them */
	case RECORD_AUXTRACE_INFO:
	case RECORD_AUXTRACE:
	case RECORD_AUXTRACE_ERROR:
		return NULL;
	default:
		/* Unknown records of newer kernels may contain addresses. */
		*ret_keep = record_type_name(r.hdr->type) != NULL;
		return NULL;
	}
}
