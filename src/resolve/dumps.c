#include "resolve/dumps.h"

#include "arch/arch.h"
#include "resolve/resolver_priv.h"
#include "unwind/walk.h"

/* Maximum number of frames of the few bytes of stack that fp chains may have. */
#define LEAF_FRAMES_MAX 16
/* Maximum number of outermost frames of a walk that are searched for in a recorded chain: in a damaged file, thousands of each may have
 * none in common. */
#define JOINTS_MAX 256
/* The address of the innermost frame, if not recorded: addresses in the dump are relative to it. */
#define SOME_SP (1ull << 32)

static struct unwind_objects objects_of(void *ctx, const struct mapped_file *file)
{
	struct resolver *r = ctx;
	struct unwind_objects ret = {};
	struct dso *d = symbols_dso(r->symbols, file);
	if (d)
		ret.object = dso_object(d, &ret.debug);
	return ret;
}

/* The session's tables, created on first use. */
static struct unwind_tables *resolver_tables(struct resolver *r)
{
	if (!r->tables)
		r->tables = unwind_tables_create(objects_of, r);
	return r->tables;
}

static const struct arch *arch_of(const struct resolver *r)
{
	return arch_or_native(r->env->arch);
}

bool resolver_has_leaves(const struct resolver *r, const struct perf_event_attr *a)
{
	if (!(a->sample_type & PERF_SAMPLE_CALLCHAIN) || a->exclude_callchain_user ||
	    !(a->sample_type & (PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER)))
		return false;
	const struct arch *arch = arch_of(r);
	if (!arch)
		return false;
	if (a->sample_type & PERF_SAMPLE_STACK_USER)
		return !attr_has_dumps(a);
	return a->sample_type & PERF_SAMPLE_REGS_USER && arch->lr != ARCH_REG_NONE && a->sample_regs_user >> arch->lr & 1;
}

void dumps_init(struct dumps *d, struct resolver *r)
{
	*d = (struct dumps){ .r = r, .call_sites = true };
	d->arch = arch_of(r);
	d->unwinder = unwinder_create(r->machine, resolver_tables(r));
}

void dumps_deinit(struct dumps *d)
{
	unwinder_destroy(d->unwinder);
	vec_deinit(&d->words);
	u64map_deinit(&d->spaces);
	u64map_deinit(&d->reach.tops);
	u64map_deinit(&d->reach.lows);
	*d = (struct dumps){};
}

static uint32_t user_part(const struct sample *s)
{
	uint32_t i = 0;
	while (i < s->callchain_nr && s->callchain[i] != PERF_CONTEXT_USER)
		i++;
	return i;
}

/* The words of a chain from words[at] on, up to the end of its part. */
static bool append_words(const uint64_t *words, uint32_t words_nr, uint32_t at, uint64_t back, uint64_t *walked, uint32_t *n,
			 uint32_t max)
{
	uint32_t before = *n;
	while (at < words_nr && *n < max && words[at] < PERF_CONTEXT_MAX)
		walked[(*n)++] = words[at++] - back;
	return *n > before;
}

bool dumps_continue(const uint64_t *words, uint32_t words_nr, uint64_t back, uint64_t *walked, uint32_t *n, uint32_t max)
{
	uint32_t first = *n > JOINTS_MAX ? *n - JOINTS_MAX : 1;
	for (uint32_t i = *n; i-- > first;) {
		uint32_t at = 0;
		while (at < words_nr && words[at] != walked[i] + back)
			at++;
		if (at < words_nr)
			return append_words(words, words_nr, at + 1, back, walked, n, max);
	}
	return false;
}

/* The value of a register of a sample; false where it was not recorded. */
static bool sampled_reg(const struct sample *s, int reg, uint64_t *ret)
{
	if (!s->user_regs.values || reg < 0 || !(s->user_regs.mask >> reg & 1))
		return false;
	*ret = s->user_regs.values[__builtin_popcountll(s->user_regs.mask & ((1ull << reg) - 1))];
	return true;
}

/*
 * Whether the word beyond the end of the dump is the return address above the location of the frame pointer, which has not
 * changed since the sample: there the kernel started to follow frame pointers, and the second word of its chain is that address.
 */
static bool ends_at_frame_pointer(const struct arch *arch, const struct sample *s, const struct unwind_result *w)
{
	uint64_t fp;
	return w->end == UNWIND_END_CUT && sampled_reg(s, arch->fp, &fp) && w->sp + w->needed == fp + 2 * arch->pointer_bytes;
}

/* The walk is incomplete: the kernel's chain may continue it. words: its user part. */
static bool continue_walk(const struct unwind_input *in, const struct sample *s, const struct unwind_result *w,
			  const uint64_t *words, uint32_t words_nr, uint64_t *walked, uint32_t *n)
{
	return dumps_continue(words, words_nr, in->call_sites, walked, n, in->max) ||
	       (ends_at_frame_pointer(in->arch, s, w) && append_words(words, words_nr, 1, in->call_sites, walked, n, in->max));
}

static void note_reach(struct dumps *d, uint64_t who, const struct unwind_result *w)
{
	bool is_new;
	uint64_t *known;
	if (w->end == UNWIND_END_WHOLE) {
		known = u64map_put(&d->reach.tops, who, NULL);
		*known = w->top > *known ? w->top : *known;
		return;
	}
	known = u64map_put(&d->reach.lows, who, &is_new);
	*known = is_new || w->sp < *known ? w->sp : *known;
	d->stats.needed_bytes = w->needed > d->stats.needed_bytes ? w->needed : d->stats.needed_bytes;
}

static void count_end(struct dumps *d, const struct unwind_result *w, bool continued)
{
	struct resolve_dump_stats *s = &d->stats;
	s->stacks++;
	s->whole += w->end == UNWIND_END_WHOLE;
	s->limited += w->end == UNWIND_END_LIMIT;
	s->continued += continued;
	s->cut += w->end == UNWIND_END_CUT && !continued;
	s->switched += w->end == UNWIND_END_OTHER_STACK && !continued;
	s->broken += !continued && (w->end == UNWIND_END_NO_TABLE || w->end == UNWIND_END_LOST || w->end == UNWIND_END_LOOP);
}

struct readable {
	struct dumps *d;
	bool found;
};

static bool look_for_readable(void *ctx, const struct map *map)
{
	struct readable *x = ctx;
	x->found = map->file->kind == MAPPED_FILE && unwind_tables_find(x->d->r->tables, map->file)->object;
	return !x->found;
}

static bool is_readable(struct dumps *d, const struct machine_view *v)
{
	bool is_new;
	uint64_t *known = u64map_put(&d->spaces, v->space, &is_new);
	if (is_new) {
		struct readable x = { .d = d };
		uint64_t time_ns = v->until_ns < UINT64_MAX ? v->until_ns - 1 : v->until_ns;
		machine_each_map(d->r->machine, v->thread, time_ns, look_for_readable, &x);
		*known = x.found;
	}
	return *known;
}

static void follow_machine(struct dumps *d)
{
	uint64_t generation = machine_generation(d->r->machine);
	if (generation == d->machine_generation)
		return;
	unwinder_reset(d->unwinder);
	u64map_deinit(&d->spaces);
	d->machine_generation = generation;
}

uint32_t dumps_join(struct dumps *d, const struct machine_view *v, const struct sample *s, const uint64_t **ret)
{
	uint32_t max = d->r->options.max_stack, kernel = user_part(s);
	if (!s->user_regs.values || !s->stack_bytes)
		return 0;
	follow_machine(d);
	if (!is_readable(d, v))
		return 0;
	vec_reserve(&d->words, (size_t)kernel + max + 1);
	uint64_t *words = d->words.data, *walked;
	uint32_t head = kernel < max ? kernel : max, n = 0;
	if (head)
		memcpy(words, s->callchain, head * sizeof(*words));
	words[head] = PERF_CONTEXT_USER;
	walked = words + head + 1;
	struct unwind_input in = {
		.arch = unwind_arch(d->arch, s->user_regs.abi),
		.space = v->space,
		.swap = d->r->env->swapped,
		.regs_mask = s->user_regs.mask,
		.regs = s->user_regs.values,
		.stack = s->stack,
		.stack_bytes = s->stack_dyn_bytes,
		.stack_is_whole = s->stack_dyn_bytes < s->stack_bytes,
		.call_sites = d->call_sites,
		.max = max,
	};
	struct unwind_result w = unwind_walk(d->unwinder, &in, walked);
	if (w.end == UNWIND_END_NO_REGS)
		return 0;
	n = w.nr;
	bool continued = w.end != UNWIND_END_WHOLE && kernel < s->callchain_nr &&
			 continue_walk(&in, s, &w, s->callchain + kernel + 1, (uint32_t)s->callchain_nr - kernel - 1, walked, &n);
	count_end(d, &w, continued);
	d->stats.dump_bytes = s->stack_bytes > d->stats.dump_bytes ? s->stack_bytes : d->stats.dump_bytes;
	if (w.end == UNWIND_END_WHOLE || w.end == UNWIND_END_CUT)
		note_reach(d, (uint64_t)v->space << 32 | s->tid, &w);
	*ret = words;
	return head + 1 + n;
}

/*
 * The registers at the start of a walk of the innermost frame, lowest first: the recorded ones, the first address of the chain
 * as pc, and a stack pointer, which only matters relative to other recorded registers.
 */
static uint64_t leaf_regs(const struct arch *arch, const struct sample *s, uint64_t pc, uint64_t values[64])
{
	uint64_t mask = 1ull << arch->sp | 1ull << arch->pc | (s->user_regs.values ? s->user_regs.mask : 0);
	unsigned n = 0;
	for (int reg = 0; reg < 64; reg++) {
		if (!(mask >> reg & 1))
			continue;
		values[n] = SOME_SP;
		if (reg == arch->pc)
			values[n] = pc;
		else
			(void)sampled_reg(s, reg, &values[n]);
		n++;
	}
	return mask;
}

uint32_t dumps_join_leaf(struct dumps *d, const struct machine_view *v, const struct sample *s, const uint64_t **ret)
{
	const struct arch *arch = unwind_arch(d->arch, s->user_regs.values ? s->user_regs.abi : PERF_SAMPLE_REGS_ABI_64);
	uint32_t at = user_part(s) + 1, nr = (uint32_t)s->callchain_nr;
	uint64_t walked[LEAF_FRAMES_MAX], values[64];
	if (!arch || at >= nr || (!s->stack_dyn_bytes && !s->user_regs.values))
		return 0;
	follow_machine(d);
	struct unwind_input in = {
		.arch = arch,
		.space = v->space,
		.swap = d->r->env->swapped,
		.regs_mask = leaf_regs(arch, s, s->callchain[at], values),
		.regs = values,
		.stack = s->stack,
		.stack_bytes = s->stack_dyn_bytes,
		.max = LEAF_FRAMES_MAX,
	};
	struct unwind_result w = unwind_walk(d->unwinder, &in, walked);
	/* The chain continues at the first function with a frame pointer, which may be one of the walked ones. */
	uint32_t fresh = w.nr;
	for (uint32_t i = w.nr; i-- > 1;)
		if (at + 1 < nr && walked[i] == s->callchain[at + 1])
			fresh = i;
	if (fresh < 2)
		return 0;
	uint32_t rest = w.end == UNWIND_END_WHOLE ? nr : at + 1;
	vec_clear(&d->words);
	vec_reserve(&d->words, (size_t)nr + w.nr);
	memcpy(vec_extend(&d->words, at + 1), s->callchain, (at + 1) * sizeof(uint64_t));
	memcpy(vec_extend(&d->words, fresh - 1), walked + 1, (fresh - 1) * sizeof(uint64_t));
	memcpy(vec_extend(&d->words, nr - rest), s->callchain + rest, (nr - rest) * sizeof(uint64_t));
	*ret = d->words.data;
	return (uint32_t)d->words.len;
}

static void merge(struct u64map *to, const struct u64map *from, bool highest)
{
	for (size_t i = 0; from->slots && i <= from->mask; i++) {
		const struct u64map_slot *s = &from->slots[i];
		bool is_new;
		if (!s->used)
			continue;
		uint64_t *known = u64map_put(to, s->key, &is_new);
		if (is_new || (highest ? s->value > *known : s->value < *known))
			*known = s->value;
	}
}

void dumps_count(const struct dumps *d, struct resolver *r)
{
	struct resolve_dump_stats *to = &r->stats.dumps;
	const struct resolve_dump_stats *from = &d->stats;
	to->stacks += from->stacks;
	to->whole += from->whole;
	to->cut += from->cut;
	to->continued += from->continued;
	to->switched += from->switched;
	to->broken += from->broken;
	to->limited += from->limited;
	to->dump_bytes = from->dump_bytes > to->dump_bytes ? from->dump_bytes : to->dump_bytes;
	to->needed_bytes = from->needed_bytes > to->needed_bytes ? from->needed_bytes : to->needed_bytes;
	merge(&r->reach.tops, &d->reach.tops, true);
	merge(&r->reach.lows, &d->reach.lows, false);
}

/* A complete stack of a thread shows how large the dumps of its other stacks should have been. */
void dumps_finish(struct resolver *r)
{
	struct resolve_dump_stats *s = &r->stats.dumps;
	const struct u64map *lows = &r->reach.lows;
	s->needed_is_known = true;
	for (size_t i = 0; lows->slots && i <= lows->mask; i++) {
		if (!lows->slots[i].used)
			continue;
		const uint64_t *top = u64map_get(&r->reach.tops, lows->slots[i].key);
		if (!top || *top <= lows->slots[i].value)
			s->needed_is_known = false;
		else if (*top - lows->slots[i].value > s->needed_bytes)
			s->needed_bytes = *top - lows->slots[i].value;
	}
	u64map_deinit(&r->reach.tops);
	u64map_deinit(&r->reach.lows);
}
