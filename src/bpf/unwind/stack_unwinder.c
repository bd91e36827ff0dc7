#include "bpf/unwind/stack_unwinder_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "arch/arch.h"
#include "arch/syscalls.h"
#include "base/mem.h"
#include "bpf/load/kernel.h"
#include "config.h"
#include "sys/cpus.h"
#include "sys/perf_abi.h"

#if HAVE_BPF_PROGRAMS && (defined(__x86_64__) || defined(__aarch64__))
#include "unwind.inc"
#include "waits.inc"
#define HAVE_UNWINDER 1
#else
static const struct bpf_image unwind_image, waits_image;
#define HAVE_UNWINDER 0
#endif

static struct strobe_error *check_system(const struct sys *sys)
{
	if (bpf_image_missing())
		return error_create(ERROR_UNSUPPORTED, "%s", bpf_image_missing());
	if (!HAVE_UNWINDER)
		return error_create(ERROR_UNSUPPORTED, "the BPF program that unwinds stacks supports x86-64 and arm64 only");
	return bpf_check_pid_namespace(sys);
}

static uint8_t kind_of_call(const char *name)
{
	static const struct {
		const char *name;
		enum wait_call kind;
	} calls[] = {
#define CALL(name, kind) { #name, WAIT_CALL_##kind },
#include "bpf/unwind/wait_calls.def"
#undef CALL
	};
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i].name, name))
			return calls[i].kind;
	return WAIT_CALL_OTHER;
}

static void set_wait_settings(const struct stack_unwinder_waits *w, struct unwind_settings *ret)
{
	ret->wait_frames_max = w->frames_max && w->frames_max < WAIT_FRAMES_MAX ? w->frames_max : WAIT_FRAMES_MAX;
	ret->wait_quantum_ns = w->quantum_ns;
	ret->waits_split = w->split;
	ret->waits_of_locks = w->of_locks;
	size_t nr;
	const struct arch_syscall *calls = arch_syscalls(arch_native(), &nr);
	for (size_t i = 0; i < nr; i++)
		if (calls[i].number < WAIT_CALLS)
			ret->wait_calls[calls[i].number] = kind_of_call(calls[i].name);
}

static struct strobe_error *load(struct stack_unwinder *u)
{
	const struct followed_tasks *followed = u->options.followed;
	struct unwind_settings settings = {
		.frames_max = u->options.frames_max,
		.followed_words = followed ? followed->nr / 64 : 0,
		.followed_by_thread = followed && followed->by_thread,
		.page_bits = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE)),
		.has_scripts = !u->options.native,
	};
	if (u->options.waits.on)
		set_wait_settings(&u->options.waits, &settings);
	const struct stack_unwinder_waits *waits = &u->options.waits;
	const char *const without[] = { "walk_python_stack", "walk_php_stack", "walk_ruby_stack", "walk_perl_stack", "walk_v8_stack",
					"walk_hotspot_stack", "walk_luajit_stack",
					waits->on && !waits->split && !waits->of_locks ? "wake_task" : NULL, NULL };
	uint32_t cpus_nr = sys_cpus_possible_nr(u->options.sys);
	const struct bpf_map_size sizes[] = { { "outputs", cpus_nr }, { "whole", cpus_nr }, {} };
	struct bpf_load_options load = {
		.sys = u->options.sys,
		.image = u->options.waits.on ? &waits_image : &unwind_image,
		.settings = &settings,
		.settings_bytes = sizeof(settings),
		.sizes = sizes,
		.given = { followed ? "followed" : NULL, u->options.followed_map },
		.without = without,
	};
	TRY(bpf_load(&load, &u->loaded));
	TRY(stack_unwinder_map_requests(u));
	if (!u->options.native)
		TRY(scripts_create(u->options.sys, u->loaded, &u->scripts));
	return unwind_maps_create(u->options.sys, u->loaded, &u->maps);
}

/* A reader of rings may run at real-time priority and wait for the serving thread. */
static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

static struct strobe_error *start(struct stack_unwinder *u)
{
	TRY(load(u));
	TRY(live_maps_open(u->options.sys, u->options.clock, &u->live));
	u->tables = unwind_tables_create(u->options.objects_of, u->options.ctx);
	u->unwinder = unwinder_create(live_maps_machine(u->live), u->tables);
	u->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	u->missing_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (u->stop_fd < 0 || u->missing_fd < 0)
		return error_errno(errno, "cannot create an eventfd");
	int e = pthread_create(&u->thread, NULL, stack_unwinder_serve, u);
	if (e)
		return error_errno(e, "cannot start the thread that compiles tables for unwinding");
	u->started = true;
	return NULL;
}

struct strobe_error *stack_unwinder_create(const struct stack_unwinder_options *o, struct stack_unwinder **ret)
{
	TRY(check_system(o->sys));
	struct stack_unwinder *u = xcalloc(1, sizeof(*u));
	u->options = *o;
	u->stop_fd = u->missing_fd = -1;
	if (!u->options.frames_max || u->options.frames_max > UNWIND_FRAMES_MAX)
		u->options.frames_max = UNWIND_FRAMES_MAX;
	init_lock(&u->lock);
	struct strobe_error *err = start(u);
	if (err) {
		stack_unwinder_destroy(u);
		return err;
	}
	*ret = u;
	return NULL;
}

void stack_unwinder_destroy(struct stack_unwinder *u)
{
	if (!u)
		return;
	if (u->started) {
		u->stopping = true;
		ssize_t n = write(u->stop_fd, &(uint64_t){ 1 }, 8);
		(void)n;
		pthread_join(u->thread, NULL);
	}
	if (u->stop_fd >= 0)
		close(u->stop_fd);
	if (u->missing_fd >= 0)
		close(u->missing_fd);
	scripts_destroy(u->scripts);
	for (size_t i = 0; i < u->outputs.len; i++)
		close(u->outputs.data[i]);
	vec_deinit(&u->outputs);
	wait_samples_deinit(u);
	unwinder_destroy(u->unwinder);
	unwind_tables_destroy(u->tables);
	live_maps_close(u->live);
	unwind_maps_destroy(u->maps);
	bpf_ring_unmap(&u->requests);
	bpf_unload(u->loaded);
	u64map_deinit(&u->ids);
	u64map_deinit(&u->by_table);
	vec_deinit(&u->streams);
	vec_deinit(&u->files);
	vec_deinit(&u->missing);
	pthread_mutex_destroy(&u->lock);
	free(u->cpus);
	free(u);
}

struct stack_unwinder_totals stack_unwinder_totals(const struct stack_unwinder *u)
{
	return (struct stack_unwinder_totals){
		.stacks = u->stacks, .cut = u->cut, .deep = u->deep, .in_exec = u->in_exec, .copied = u->copied,
		.records = u->records, .waits = u->waits_at_end,
	};
}

bool stack_unwinder_scripts(struct stack_unwinder *u, struct strbuf *to)
{
	return u->scripts && scripts_write(u->scripts, to);
}

void stack_unwinder_begin_file(struct stack_unwinder *u)
{
	if (u->scripts)
		scripts_begin_file(u->scripts);
}

void stack_unwinder_each_file(struct stack_unwinder *u, void (*fn)(void *ctx, const struct mapped_file *f), void *ctx)
{
	pthread_mutex_lock(&u->lock);
	const struct machine *m = live_maps_machine(u->live);
	for (size_t i = 0; i < machine_files_count(m); i++)
		if (unwind_tables_has(u->tables, machine_file_at(m, i)))
			fn(ctx, machine_file_at(m, i));
	pthread_mutex_unlock(&u->lock);
}

char *stack_unwinder_unknown_interpreter(struct stack_unwinder *u)
{
	return u->scripts ? scripts_unknown(u->scripts) : NULL;
}

/* ---- events ---- */

static bool is_output(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE && a->config == PERF_COUNT_SW_BPF_OUTPUT;
}

bool stack_unwinder_is_walked(const struct capture_event *e)
{
	return !e->is_dummy && !is_output(&e->attr) && !perf_attr_is_dummy(&e->attr) &&
	       !(e->terms.set & (EVENT_TERM_CALL_GRAPH | EVENT_TERM_STACK_SIZE));
}

struct strobe_error *stack_unwinder_check(const struct event_set *events, const struct capture_options *o)
{
	if (o->target.per_thread)
		return error_create(ERROR_USAGE, "eh uses per-CPU buffers and cannot be combined with --per-thread");
	if (o->overwrite)
		return error_create(ERROR_USAGE, "eh and --overwrite exclude each other");
	if (o->callgraph.kernel_only)
		return error_create(ERROR_USAGE, "eh unwinds the user stack and cannot be combined with --kernel-callchains");
	for (size_t i = 0; i < events->events.len; i++) {
		const struct capture_event *e = &events->events.data[i];
		if (!stack_unwinder_is_walked(e))
			continue;
		if (e->tracepoint_name)
			return error_create(ERROR_USAGE, "%s: --call-graph eh does not work for tracepoints; use fp or dwarf",
					    e->name);
		if (e->terms.set & EVENT_TERM_OVERWRITE && e->terms.overwrite)
			return error_create(ERROR_USAGE, "%s: --call-graph eh cannot be combined with overwrite", e->name);
	}
	return NULL;
}

static void add_stream(struct stack_unwinder *u, uint64_t id, struct stack_stream s)
{
	vec_push(&u->streams, s);
	*u64map_put(&u->ids, id, NULL) = u->streams.len;
}

/* The ring of a CPU, by any of its events; false: it has none. */
static bool find_ring(const struct event_set *set, size_t cpu, size_t threads, size_t *ret_event, size_t *ret_slot)
{
	for (size_t i = 0; i < set->events.len; i++)
		for (size_t slot = cpu * threads; slot < (cpu + 1) * threads; slot++)
			if (slot < set->events.data[i].slots && set->events.data[i].fds[slot] >= 0) {
				*ret_event = i;
				*ret_slot = slot;
				return true;
			}
	return false;
}

/* An event that the program writes through: `sampled` is a part of its attr. */
static struct perf_event_attr output_attr(const struct stack_unwinder *u, const struct perf_event_attr *sampled)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.size = PERF_ABI_ATTR_BYTES,
		.sample_period = 1,
		.sample_type = sampled->sample_type | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_RAW,
		.sample_max_stack = sampled->sample_max_stack,
		.exclude_callchain_user = sampled->exclude_callchain_user,
		.exclude_callchain_kernel = sampled->exclude_callchain_kernel,
		.sample_id_all = 1,
		.use_clockid = u->options.clock.use,
		.clockid = u->options.clock.id,
	};
}

/* Opens an output event into the ring of the CPU's samples, and puts it into a map for the program. */
static struct strobe_error *open_output(struct stack_unwinder *u, const struct perf_event_attr *attr, const char *map, int cpu,
					int ring_fd, const struct stack_stream *stream)
{
	const struct sys *sys = u->options.sys;
	struct perf_event_attr opened = *attr;
	uint64_t id;
	int fd = sys_perf_event_open(sys, &opened, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return error_errno(-fd, "cannot open an event for stacks on CPU %d", cpu);
	vec_push(&u->outputs, fd);
	int r = sys_ioctl(sys, fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)ring_fd);
	if (r >= 0)
		r = sys_ioctl(sys, fd, PERF_EVENT_IOC_ID, (uintptr_t)&id);
	if (r < 0)
		return error_errno(-r, "cannot direct stacks into the ring of CPU %d", cpu);
	add_stream(u, id, *stream);
	return bpf_map_set(bpf_map_of(u->loaded, map), &cpu, &fd);
}

/* The event that the program writes stacks through. */
static struct strobe_error *open_carrier(struct stack_unwinder *u, uint32_t cpu_index, int cpu, int ring_fd)
{
	const struct perf_event_attr fields = { .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME };
	struct perf_event_attr attr = output_attr(u, &fields);
	u->output_layout = sample_layout_compile(&attr);
	return open_output(u, &attr, "outputs", cpu, ring_fd, &(struct stack_stream){ .cpu = cpu_index, .carries = true });
}

/*
 * Samples whose stack is walked in the kernel come as one record with it: through an event with the same fields as the samples.
 * With several events, or sample fields that only their own event can provide, each sample follows its stack.
 */
static const struct capture_event *find_whole(const struct event_set *set, size_t threads)
{
	const uint64_t given = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
			       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	const struct capture_event *found = NULL;
	for (size_t i = 0; i < set->events.len; i++) {
		const struct capture_event *e = &set->events.data[i];
		if (!stack_unwinder_is_walked(e))
			continue;
		if (found || threads != 1 || e->attr.sample_type & ~given || !(e->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
			return NULL;
		found = e;
	}
	return found;
}

static struct strobe_error *open_whole(struct stack_unwinder *u, const struct capture_event *e, const struct sample_layout *layout,
				       const struct target_map *map)
{
	struct perf_event_attr attr = output_attr(u, &e->attr);
	for (uint32_t i = 0; i < e->slots; i++) {
		struct stack_stream stream = { .cpu = i, .whole = true, .id = e->ids[i], .layout = layout,
					       .max = e->attr.sample_max_stack };
		if (e->fds[i] >= 0)
			TRY(open_output(u, &attr, "whole", map->cpus.data[i], e->fds[i], &stream));
	}
	return NULL;
}

static struct strobe_error *attach_event(struct stack_unwinder *u, const struct capture_event *e,
					 const struct sample_layout *layout, size_t threads)
{
	int program = bpf_program_of(u->loaded, "walk_stack");
	for (uint32_t slot = 0; slot < e->slots; slot++) {
		if (e->fds[slot] < 0)
			continue;
		add_stream(u, e->ids[slot], (struct stack_stream){ .cpu = slot / (uint32_t)threads, .walked = true,
								   .layout = layout, .max = e->attr.sample_max_stack });
		int r = sys_ioctl(u->options.sys, e->fds[slot], PERF_EVENT_IOC_SET_BPF, (uintptr_t)program);
		if (r < 0)
			return error_errno(-r, "%s: cannot attach the program of eh", e->name);
	}
	return NULL;
}

struct strobe_error *stack_unwinder_attach(struct stack_unwinder *u, struct capture *c)
{
	const struct event_set *set = capture_events(c);
	const struct target_map *map = capture_target(c);
	struct env *env = capture_env(c);
	size_t threads = map->threads.len;
	TRY(bpf_ready(u->loaded));
	u->cpus_nr = (uint32_t)map->cpus.len;
	u->cpus = xcalloc(u->cpus_nr, sizeof(*u->cpus));
	for (uint32_t i = 0; i < u->cpus_nr; i++) {
		size_t event, slot;
		if (map->cpus.data[i] < 0)
			return error_create(ERROR_USAGE, "eh requires per-CPU buffers, and these are per thread");
		if (!find_ring(set, i, threads, &event, &slot))
			continue;
		u->cpus[i].layout = &env->events.data[event].layout;
		u->cpus[i].id = set->events.data[event].ids[slot];
		u->cpus[i].number = (uint32_t)map->cpus.data[i];
		TRY(open_carrier(u, i, map->cpus.data[i], set->events.data[event].fds[slot]));
	}
	const struct capture_event *whole = u->options.no_samples ? NULL : find_whole(set, threads);
	for (size_t i = 0; i < set->events.len && !u->options.no_samples; i++) {
		const struct capture_event *e = &set->events.data[i];
		if (!stack_unwinder_is_walked(e))
			continue;
		TRY(attach_event(u, e, &env->events.data[i].layout, threads));
		if (e == whole)
			TRY(open_whole(u, e, &env->events.data[i].layout, map));
		/* What is in the file. */
		env->events.data[i].attr.exclude_callchain_user = 0;
		env_event_changed(&env->arena, &env->events.data[i]);
	}
	return u->options.waits.on ? wait_samples_attach(u, c) : NULL;
}

/* ---- copies ---- */

/* Registers in the order that samples have them; pc: the index of the program counter for code of the copy's width. */
static uint64_t sampled_regs(const struct unwind_copy *copy, int pc, uint64_t values[64])
{
	const struct arch *a = arch_native();
	uint64_t by_number[64], mask = 0;
	unsigned n = 0;
	for (unsigned i = 0; i < a->dwarf_regs_nr && i < UNWIND_WALK_REGS; i++) {
		if (a->dwarf_regs[i] == ARCH_DWARF_NONE)
			continue;
		by_number[a->dwarf_regs[i]] = copy->reg[i];
		mask |= 1ull << a->dwarf_regs[i];
	}
	by_number[pc] = copy->pc;
	mask |= 1ull << pc;
	for (unsigned i = 0; i < 64; i++)
		if (mask >> i & 1)
			values[n++] = by_number[i];
	return mask;
}

/* The address space in which the copy's pc is code: as of that time or, if that is unknown, as of now. */
static uint32_t space_of(struct stack_unwinder *u, uint64_t pc, uint32_t pid, uint64_t time_ns)
{
	struct machine *m = live_maps_machine(u->live);
	uint64_t complete_ns = live_maps_complete(u->live, pid);
	/* Mappings from before the process was first read are not all known: probably they have not changed. */
	if (time_ns < complete_ns)
		return machine_view(m, pid, pid, complete_ns).space;
	struct machine_view view = machine_view(m, pid, pid, time_ns);
	if (machine_space_map(m, view.space, PERF_RECORD_MISC_USER, pc))
		return view.space;
	view = machine_view(m, pid, pid, UINT64_MAX - 1);
	if (machine_space_map(m, view.space, PERF_RECORD_MISC_USER, pc) || !view.thread || view.thread->end_ns < time_ns)
		return view.space;
	live_maps_read(u->live, pid);
	return machine_view(m, pid, pid, UINT64_MAX - 1).space;
}

/* The space of a walk that continues at pc; the unwinder's caches belong to the current numbers of spaces. */
static uint32_t look_in(struct stack_unwinder *u, uint64_t pc, const struct waiting_stack *of, uint64_t time_ns)
{
	uint32_t space = space_of(u, pc, of->pid, time_ns);
	uint64_t forgotten = live_maps_forgotten(u->live);
	if (forgotten != u->forgotten)
		unwinder_reset(u->unwinder);
	u->forgotten = forgotten;
	return space;
}

/* Whether the frame at `before` was the outermost one: uses the space of the stack, without looking up pc, which may be data. */
static bool is_walk_past_outermost(struct stack_unwinder *u, struct unwind_input *in, uint64_t before, uint64_t pc,
			const struct waiting_stack *of, uint64_t time_ns)
{
	in->space = look_in(u, before - 1, of, time_ns);
	return unwind_is_past_outermost(u->unwinder, in, before, pc);
}

/* Has the thread make a table. The lock is held. */
static void request_table(struct stack_unwinder *u, const struct mapped_file *file)
{
	for (size_t i = 0; i < u->missing.len; i++)
		if (u->missing.data[i] == file)
			return;
	vec_push(&u->missing, file);
	ssize_t n = write(u->missing_fd, &(uint64_t){ 1 }, sizeof(uint64_t));
	(void)n;
}

const struct mapped_file *stack_unwinder_finish(struct stack_unwinder *u, const struct unwind_copy *copy, const uint8_t *memory,
						uint64_t time_ns, bool waits, struct waiting_stack *ret)
{
	uint64_t values[64];
	uint32_t head = copy->stack.nr < UNWIND_FRAMES_MAX ? copy->stack.nr : UNWIND_FRAMES_MAX;
	head -= head > 0; /* the last is where the walk begins */
	memcpy(ret->ips, copy->frames, head * sizeof(*ret->ips));
	const struct arch *arch =
		unwind_arch(arch_native(), copy->is_32bit ? PERF_SAMPLE_REGS_ABI_32 : PERF_SAMPLE_REGS_ABI_64);
	uint32_t above = copy->reg[arch_native()->dwarf_sp] % UNWIND_COPY_PIECE;
	struct unwind_input in = {
		.arch = arch,
		.regs_mask = sampled_regs(copy, arch->pc, values),
		.regs = values,
		.stack = memory + above,
		.stack_bytes = copy->bytes > above ? copy->bytes - above : 0,
		.is_caller = !copy->exact,
		.no_wait = !waits,
		.max = UNWIND_FRAMES_MAX - head,
	};
	pthread_mutex_lock(&u->lock);
	live_maps_drain(u->live);
	struct unwind_result w = { .end = UNWIND_END_WHOLE };
	const struct mapped_file *lacks = NULL;
	bool is_past_outermost = head && in.is_caller && is_walk_past_outermost(u, &in, ret->ips[head - 1], copy->pc, ret, time_ns);
	if (head && in.is_caller)
		lacks = unwinder_lacks(u->unwinder);
	if (lacks) {
		/* no need to go on */
	} else if (copy->is_data && !is_past_outermost) {
		w.end = UNWIND_END_NO_TABLE;
	} else if (!is_past_outermost) {
		in.space = look_in(u, copy->pc - in.is_caller, ret, time_ns);
		w = unwind_walk(u->unwinder, &in, ret->ips + head);
		lacks = unwinder_lacks(u->unwinder);
	}
	if (lacks)
		request_table(u, lacks);
	pthread_mutex_unlock(&u->lock);
	if (lacks)
		return lacks;
	/* If the walk cannot even begin, the address itself is a frame, unless it was taken for a caller. */
	if (!in.is_caller && !w.nr)
		ret->ips[head + w.nr++] = copy->pc;
	ret->nr = (uint16_t)(head + w.nr);
	ret->cut = w.end != UNWIND_END_WHOLE;
	return NULL;
}
