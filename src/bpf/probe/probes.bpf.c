/*
 * Programs of inline probes: take a sample with the values that a plan fetches (probe/fetch_plan.h), or count.
 *
 * A program may be preempted by another one, but does not migrate: a sample is built in one of the CPU's slots, and counts are added
 * atomically.
 */
#include "bpf/followed.bpf.h"
#include "bpf/probe/probes_shared.h"

#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define BUFFER_MASK  (FETCH_PLAN_FIXED_MAX + FETCH_PLAN_STRINGS_MAX - 1)
#define BUFFER_BYTES (BUFFER_MASK + 1 + FETCH_PLAN_STRINGS_MAX) /* a string may begin at the last place that the verifier knows */
#define USER_PAGE    4096 /* the smallest one: memory may end at any multiple of it */
#define FAULT_TEXT   "(fault)"

const volatile struct probes_settings settings = {};
struct probes_control control = {};

struct slot {
	__u32 busy;
	__u32 at, end; /* where the next string goes, and the last one ends */
	__u32 unused;
	__u64 regs[64]; /* as perf numbers them */
	__u64 ip;
	__u8 buf[BUFFER_BYTES];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized: CPUs, PROBES_SLOTS_CPU each */
	__type(key, __u32);
	__type(value, struct slot);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized */
	__type(key, __u32);
	__type(value, struct probes_place);
} places SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* resized */
	__type(key, __u32);
	__type(value, struct probes_event);
} events SEC(".maps");

/* The perf events that take samples: of each event those of all CPUs, in order. */
struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY);
	__uint(max_entries, 1); /* resized */
	__type(key, __u32);
	__type(value, __u32);
} samples SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* resized */
	__type(key, __u32);
	__type(value, __u64);
} counts SEC(".maps");

/* ---- slots ---- */

/* Its number, or an invalid one. */
GLOBAL int find_slot(__u32 first)
{
	for (__u32 i = 0; i < PROBES_SLOTS_CPU; i++) {
		__u32 at = first + i;
		struct slot *s = bpf_map_lookup_elem(&slots, &at);
		if (s && !__sync_val_compare_and_swap(&s->busy, 0, 1))
			return at;
	}
	return -1;
}

INLINE struct slot *take_slot(void)
{
	__u32 at = find_slot(bpf_get_smp_processor_id() * PROBES_SLOTS_CPU);
	return bpf_map_lookup_elem(&slots, &at);
}

INLINE void give_back(struct slot *s)
{
	*(volatile __u32 *)&s->busy = 0;
}

INLINE void take_registers(struct slot *s, struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	s->regs[0] = regs->ax;
	s->regs[1] = regs->bx;
	s->regs[2] = regs->cx;
	s->regs[3] = regs->dx;
	s->regs[4] = regs->si;
	s->regs[5] = regs->di;
	s->regs[6] = regs->bp;
	s->regs[7] = regs->sp;
	s->regs[8] = regs->ip;
	s->regs[9] = regs->flags;
	s->regs[16] = regs->r8;
	s->regs[17] = regs->r9;
	s->regs[18] = regs->r10;
	s->regs[19] = regs->r11;
	s->regs[20] = regs->r12;
	s->regs[21] = regs->r13;
	s->regs[22] = regs->r14;
	s->regs[23] = regs->r15;
#elif defined(__TARGET_ARCH_arm64)
	for (int i = 0; i < 31; i++)
		s->regs[i] = regs->regs[i];
	s->regs[31] = regs->sp;
	s->regs[32] = regs->pc;
#endif
}

INLINE __u64 instruction(struct pt_regs *regs)
{
#if defined(__TARGET_ARCH_x86)
	return regs->ip;
#elif defined(__TARGET_ARCH_arm64)
	return regs->pc;
#endif
}

/* ---- values ---- */

INLINE void fault(void)
{
	__sync_fetch_and_add(&control.faults, 1);
}

/* As tracefs does where user and kernel addresses do not overlap: the highest bit distinguishes them. */
INLINE _Bool is_of_user(__u64 address, _Bool is_user)
{
	return is_user || !(address >> 63);
}

INLINE long read_bytes(void *to, __u32 bytes, __u64 from, _Bool is_user)
{
	return is_of_user(from, is_user) ? bpf_probe_read_user(to, bytes, (void *)from) : bpf_probe_read_kernel(to, bytes, (void *)from);
}

/* Follows all reads but the last one: gives the address of the last read, or the value if there are no reads. False: a read failed. */
INLINE _Bool follow(const struct slot *s, const struct fetch_plan_arg *a, __u32 word_bytes, __u64 *ret)
{
	__u64 v = a->value;
	__u32 reads = settings.has_reads ? a->derefs : 0;
	if (a->base == FETCH_PLAN_REGISTER)
		v = s->regs[a->reg & 63];
	else if (a->base == FETCH_PLAN_CODE)
		v += s->ip;
	for (__u32 i = 0; i < FETCH_PLAN_DEREFS; i++) {
		__u64 word = 0;
		if (i >= reads)
			break;
		v += a->offset[i];
		if (i + 1 == reads)
			break;
		if (read_bytes(&word, word_bytes & 8 ? 8 : 4, v, a->users >> i & 1))
			return 0;
		v = word;
	}
	*ret = v;
	return 1;
}

INLINE _Bool is_last_of_user(const struct fetch_plan_arg *a)
{
	return a->derefs && a->users >> (a->derefs - 1) & 1;
}

INLINE void put_number(struct slot *s, __u32 at, __u32 bytes, __u64 v)
{
	__u8 *to = s->buf + (at & BUFFER_MASK);
	switch (bytes) {
	case 1:
		*to = v;
		break;
	case 2:
		*(__u16 *)to = v;
		break;
	case 4:
		*(__u32 *)to = v;
		break;
	default:
		*(__u64 *)to = v;
	}
}

/* Appends a string; its field gets the offset and length. */
INLINE void put_string(struct slot *s, const struct fetch_plan_arg *a, __u64 from, _Bool is_there)
{
	__u32 at = s->at & BUFFER_MASK, room = s->end - s->at;
	void *to = s->buf + at;
	long n = -1;
	if (s->at > s->end || room > FETCH_PLAN_STRINGS_MAX)
		room = 0;
	if (room > FETCH_PLAN_STRINGS_MAX - 1)
		room = FETCH_PLAN_STRINGS_MAX - 1;
	if (a->base == FETCH_PLAN_COMM)
		n = room < 16 || bpf_get_current_comm(to, 16) ? -1 : 16;
	else if (is_there && is_of_user(from, is_last_of_user(a)))
		n = bpf_probe_read_user_str(to, room, (void *)from);
	else if (is_there)
		n = bpf_probe_read_kernel_str(to, room, (void *)from);
	if (n < 0 && room >= sizeof(FAULT_TEXT)) {
		__builtin_memcpy(to, FAULT_TEXT, sizeof(FAULT_TEXT));
		n = sizeof(FAULT_TEXT);
		fault();
	}
	if (n < 0)
		n = 0;
	put_number(s, a->at, 4, at | (__u32)n << 16);
	s->at = at + n;
}

INLINE void put_array(struct slot *s, const struct fetch_plan_arg *a, __u64 from)
{
	__u32 bytes = a->bytes * a->count & (FETCH_PLAN_FIXED_MAX - 1);
	if (read_bytes(s->buf + (a->at & BUFFER_MASK), bytes, from, is_last_of_user(a)))
		fault();
}

/* Puts one argument into the sample; 0 if it could not be read. */
GLOBAL int put_argument(struct slot *s, const struct fetch_plan_arg *a, __u32 word_bytes)
{
	__u64 v = 0, at = 0;
	_Bool is_there;
	if (!s || !a)
		return 0;
	is_there = follow(s, a, word_bytes, &at);
	if (settings.has_strings && a->what == FETCH_PLAN_STRING) {
		put_string(s, a, at, is_there);
		return 0;
	}
	if (settings.has_reads && is_there && a->count) {
		put_array(s, a, at);
		return 0;
	}
	if (!settings.has_reads || !a->derefs)
		v = at;
	else if (!is_there || read_bytes(&v, a->bytes & 15, at, is_last_of_user(a)))
		fault();
	if (a->right)
		v = v << (a->left & 63) >> (a->right & 63);
	put_number(s, a->at, a->bytes, v);
	return 0;
}

struct turn {
	struct slot *s;
	const struct fetch_plan *plan;
};

static long argument_turn(__u32 i, struct turn *t)
{
	if (i >= FETCH_PLAN_ARGS)
		return 1;
	put_argument(t->s, &t->plan->arg[i], t->plan->word_bytes);
	return 0;
}

/* ---- filters ---- */

INLINE __u64 number_at(const struct slot *s, __u32 at, __u32 bytes, _Bool is_signed)
{
	const __u8 *from = s->buf + (at & BUFFER_MASK);
	switch (bytes) {
	case 1:
		return is_signed ? (__u64)*(const __s8 *)from : *from;
	case 2:
		return is_signed ? (__u64)*(const __s16 *)from : *(const __u16 *)from;
	case 4:
		return is_signed ? (__u64)*(const __s32 *)from : *(const __u32 *)from;
	default:
		return *(const __u64 *)from;
	}
}

INLINE _Bool compare(__u64 v, const struct fetch_plan_test *t)
{
	__u64 than = t->value;
	_Bool less = t->is_signed ? (__s64)v < (__s64)than : v < than;
	switch (t->op) {
	case FETCH_PLAN_EQ:
		return v == than;
	case FETCH_PLAN_NE:
		return v != than;
	case FETCH_PLAN_LT:
		return less;
	case FETCH_PLAN_LE:
		return less || v == than;
	case FETCH_PLAN_GT:
		return !less && v != than;
	case FETCH_PLAN_GE:
		return !less;
	default:
		return v & than;
	}
}

INLINE _Bool compare_text(const struct slot *s, const struct fetch_plan_test *t)
{
	__u32 place = number_at(s, t->at, 4, 0), at = place & 0xffff, bytes = place >> 16;
	const __u8 *nul = s->buf + ((at + t->text_bytes) & BUFFER_MASK);
	for (__u32 i = 0; i < FETCH_PLAN_TEXT_BYTES; i++) {
		if (i >= t->text_bytes)
			break;
		if (i >= bytes || s->buf[(at + i) & BUFFER_MASK] != (__u8)t->text[i])
			return 0;
	}
	return t->op == FETCH_PLAN_TEXT_BEGINS || (bytes > t->text_bytes && !*nul);
}

struct filtering {
	const struct slot *s;
	const struct fetch_plan_filter *filter;
	__u32 next;
};

/* One test, which selects the next one: always a later one of the filter. */
static long filter_turn(__u32 i, struct filtering *f)
{
	__u32 at = f->next;
	const struct fetch_plan_test *t;
	_Bool is_true;
	if (at >= FETCH_PLAN_TESTS)
		return 1;
	t = &f->filter->test[at];
	if (t->op >= FETCH_PLAN_TEXT_IS)
		is_true = compare_text(f->s, t);
	else
		is_true = compare(number_at(f->s, t->at, t->bytes, t->is_signed), t);
	f->next = is_true ? t->when_true : t->when_false;
	return 0;
}

INLINE _Bool passes(const struct slot *s, const struct probes_event *e)
{
	struct filtering f = { .s = s, .filter = &e->filter };
	bpf_loop(FETCH_PLAN_TESTS, filter_turn, &f, 0);
	return f.next == FETCH_PLAN_PASSES;
}

/* ---- counts ---- */

/* Returns how many there were before, on this CPU. */
INLINE __u64 count(__u32 event)
{
	__u32 at = bpf_get_smp_processor_id() * settings.stride + event;
	__u64 *n = bpf_map_lookup_elem(&counts, &at);
	return n ? __sync_fetch_and_add(n, 1) : 0;
}

/* ---- samples ---- */

/* Not errors: no sample is taken on this CPU or by this event now; the event is not running there. */
#define ENOENT     2
#define EOPNOTSUPP 95
#define ENOSPC     28 /* the ring is full: the kernel counts these itself */

INLINE void begin(struct slot *s, struct pt_regs *regs, const struct probes_place *p, struct task_struct *task)
{
	__u64 first = p->address;
	s->ip = instruction(regs);
	if (p->plan.args_nr)
		take_registers(s, regs);
	s->at = p->plan.bytes & (FETCH_PLAN_FIXED_MAX - 1);
	s->end = s->at + FETCH_PLAN_STRINGS_MAX;
	if (!first && !p->plan.is_return)
		first = s->ip;
	else if (!first && settings.has_entry)
		first = bpf_get_func_ip(regs);
	put_number(s, 0, 4, p->plan.format);
	put_number(s, 4, 4, task->pid);
	put_number(s, FETCH_PLAN_COMMON_BYTES, 8, first);
	if (p->plan.is_return)
		put_number(s, FETCH_PLAN_COMMON_BYTES + FETCH_PLAN_WORD_BYTES, 8, s->ip);
}

INLINE void send(struct slot *s, struct pt_regs *regs, __u32 event)
{
	__u32 bytes = s->at & BUFFER_MASK, cpu = bpf_get_smp_processor_id();
	long r = bpf_perf_event_output(regs, &samples, event * settings.cpus + cpu, s->buf, bytes);
	if (r && r != -ENOENT && r != -EOPNOTSUPP && r != -ENOSPC)
		__sync_fetch_and_add(&control.missed, 1);
}

INLINE _Bool is_due(const struct probes_event *e, __u64 before)
{
	return e->period == 1 || (e->period && (before + 1) % e->period == 0);
}

/* What a filter looks at is fetched first. */
INLINE int make_sample(struct pt_regs *regs, const struct probes_place *p, const struct probes_event *e, struct task_struct *task)
{
	struct slot *s = take_slot();
	struct turn turn = { s, &p->plan };
	if (!s) {
		__sync_fetch_and_add(&control.missed, 1);
		return 0;
	}
	begin(s, regs, p, task);
	if (p->plan.args_nr)
		bpf_loop(p->plan.args_nr, argument_turn, &turn, 0);
	if (!settings.has_filters || !e->filter.tests_nr || (passes(s, e) && is_due(e, count(p->plan.event))))
		send(s, regs, p->plan.event);
	give_back(s);
	return 0;
}

INLINE struct task_struct *task_of_probe(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	if (!control.enabled || task->tgid == settings.self)
		return NULL;
	return !settings.words || is_followed(task, settings.words, settings.by_thread) ? task : NULL;
}

INLINE int hit(struct pt_regs *regs)
{
	__u32 number = bpf_get_attach_cookie(regs);
	struct task_struct *task = task_of_probe();
	struct probes_place *p = bpf_map_lookup_elem(&places, &number);
	struct probes_event *e;
	__u32 event;
	if (!task || !p)
		return 0;
	event = p->plan.event;
	e = bpf_map_lookup_elem(&events, &event);
	if (!e)
		return 0;
	if ((!settings.has_filters || !e->filter.tests_nr) && !is_due(e, count(event)))
		return 0;
	return make_sample(regs, p, e, task);
}

SEC("uprobe")
int probe_of_program(struct pt_regs *regs)
{
	return hit(regs);
}

SEC("kprobe/place")
int probe_of_kernel(struct pt_regs *regs)
{
	return hit(regs);
}

/* ---- memory that is not there yet ---- */

struct touching {
	struct slot *s;
	const struct fetch_plan *plan;
};

/* Follows the reads of an argument, sleeping until each page is in memory. A string may continue in the next page. */
GLOBAL int touch_argument(const struct slot *s, const struct fetch_plan_arg *a, __u32 word_bytes)
{
	__u64 v, word;
	__u8 byte;
	if (!s || !a || !a->users)
		return 0;
	v = a->value;
	if (a->base == FETCH_PLAN_REGISTER)
		v = s->regs[a->reg & 63];
	else if (a->base == FETCH_PLAN_CODE)
		v += s->ip;
	for (__u32 i = 0; i < FETCH_PLAN_DEREFS; i++) {
		if (i >= a->derefs)
			break;
		v += a->offset[i];
		word = 0;
		if (i + 1 == a->derefs) {
			bpf_copy_from_user(&byte, 1, (void *)v);
			bpf_copy_from_user(&byte, 1, (void *)((v | (USER_PAGE - 1)) + 1));
			break;
		}
		if (bpf_copy_from_user(&word, word_bytes & 8 ? 8 : 4, (void *)v))
			break;
		v = word;
	}
	return 0;
}

static long touch_turn(__u32 i, struct touching *t)
{
	if (i >= FETCH_PLAN_ARGS)
		return 1;
	touch_argument(t->s, &t->plan->arg[i], t->plan->word_bytes);
	return 0;
}

/*
 * Runs before the program of the probe, which may not sleep: the kernel runs the program that was attached last first. Pages that were
 * never touched are not in memory, such as those of string constants that nothing has read yet.
 */
SEC("uprobe.s")
int touch_for_probe(struct pt_regs *regs)
{
	__u32 number = bpf_get_attach_cookie(regs);
	struct probes_place *p = bpf_map_lookup_elem(&places, &number);
	struct touching turn;
	if (!p || !task_of_probe())
		return 0;
	turn.plan = &p->plan;
	turn.s = take_slot();
	if (!turn.s)
		return 0;
	take_registers(turn.s, regs);
	turn.s->ip = instruction(regs);
	bpf_loop(p->plan.args_nr, touch_turn, &turn, 0);
	give_back(turn.s);
	return 0;
}
