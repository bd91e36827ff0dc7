#include "dump/dumper.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dump/dumper_priv.h"
#include "dump/event_text.h"
#include "record/data_src.h"

/* %pS and similar: symbols of the kernel. */
static const char *kernel_symbol(void *ctx, uint64_t addr, uint64_t *ret_offset)
{
	struct dumper *d = ctx;
	const struct thread *idle = machine_thread(d->machine, 0, 0, d->previous_ns);
	const struct map *map = machine_map(d->machine, idle, PERF_RECORD_MISC_KERNEL, addr, d->previous_ns);
	if (!map)
		return NULL;
	struct dso *dso = symbols_dso(d->symbols, map->file);
	uint64_t at = dso_address(dso, map, addr);
	const struct symbol *sym = dso_symbol(dso, at);
	if (!sym)
		return NULL;
	*ret_offset = at - sym->start;
	return dso_symbol_name(dso, sym);
}

struct strobe_error *dumper_create(const struct env *env, struct machine *machine, struct symbols *symbols,
				   struct dump_options options, struct dumper **ret)
{
	struct dumper *d = xcalloc(1, sizeof(*d));
	d->env = env;
	d->machine = machine;
	d->symbols = symbols;
	d->options = options;
	d->arch = arch_or_native(env->arch);
	d->trace_names = (struct trace_names){ kernel_symbol, d };
	arena_init(&d->arena);
	stack_texts_init(&d->stacks);
	out_init_mem(&d->scratch);
	struct strobe_error *err = dump_open_disasm(d);
	if (err) {
		dumper_destroy(d);
		d = NULL;
	}
	*ret = d;
	return err;
}

void dumper_destroy(struct dumper *d)
{
	if (!d)
		return;
	vec_deinit(&d->frames);
	vec_deinit(&d->frame_keys);
	for (unsigned i = 0; i < DUMP_KINDS; i++) {
		vec_deinit(&d->numbered[0][i]);
		vec_deinit(&d->numbered[1][i]);
	}
	idset_deinit(&d->frames_index);
	arena_deinit(&d->arena);
	stack_texts_deinit(&d->stacks);
	tracepoints_destroy(d->tracepoints);
	dump_srccode_destroy(d->srccode);
	u64map_deinit(&d->guests);
	disasm_destroy(d->disasm);
	disasm_destroy(d->disasm_32bit);
	error_destroy(out_close(&d->scratch)); /* memory does not fail */
	strbuf_deinit(&d->words);
	free(d);
}

/* With the first sample all events of a stream are known, and so the width of their column. */
static void make_names(struct dumper *d)
{
	size_t width = 0;
	d->names_nr = d->env->events.len;
	d->names = arena_new_array(&d->arena, struct name_text, d->names_nr);
	for (size_t i = 0; i < d->names_nr; i++) {
		size_t n = strlen(d->env->events.data[i].name);
		width = n > width ? n : width;
	}
	for (size_t i = 0; i < d->names_nr; i++) {
		struct out text;
		size_t n;
		const char *name = d->env->events.data[i].name;
		out_init_mem(&text);
		out_fill(&text, ' ', width - strlen(name));
		out_text(&text, name, strlen(name));
		out_str(&text, ": ");
		const char *p = out_mem(&text, &n);
		d->names[i] = (struct name_text){ arena_memdup(&d->arena, p, n), (uint32_t)n };
		error_destroy(out_close(&text)); /* memory does not fail */
	}
}

static void put_event_name(struct dumper *d, struct out *out, uint32_t event)
{
	if (event >= d->names_nr)
		make_names(d);
	out_write(out, d->names[event].text, d->names[event].bytes);
}

/* Whether a sample's data address may have a symbol: page faults, and branches recorded one by one. */
static bool address_has_symbol(const struct perf_event_attr *a)
{
	if (a->type == PERF_TYPE_SOFTWARE)
		return a->config == PERF_COUNT_SW_PAGE_FAULTS || a->config == PERF_COUNT_SW_PAGE_FAULTS_MIN ||
		       a->config == PERF_COUNT_SW_PAGE_FAULTS_MAJ;
	return a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS && a->sample_period == 1;
}

static void put_address(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s)
{
	out_hex_width(out, s->sample.addr, 16, ' ');
	if (!address_has_symbol(&s->event->attr) || !(of & (DUMP_FIELD(SYM) | DUMP_FIELD(DSO))))
		return;
	struct resolved_frame f = dump_lookup(d, s, s->sample.addr);
	dump_symbol_part(d, out, of, &f);
}

static void put_data_src(struct dumper *d, struct out *out, uint64_t word)
{
	size_t n;
	d->scratch.len = 0;
	out_hex_width(&d->scratch, word, 16, ' ');
	out_ch(&d->scratch, ' ');
	strbuf_reset(&d->words);
	data_src_text(&d->words, word);
	out_write(&d->scratch, strbuf_str(&d->words), d->words.len);
	const char *text = out_mem(&d->scratch, &n);
	d->data_src_width = n > d->data_src_width ? n : d->data_src_width;
	out_write(out, text, n);
	out_fill(out, ' ', d->data_src_width - n);
}

const struct tracepoint *dump_tracepoint(struct dumper *d, const struct resolved_sample *s)
{
	if (!d->tracepoints)
		d->tracepoints = tracepoints_read_whole(d->env);
	return tracepoints_by_id(d->tracepoints, (uint32_t)s->event->attr.config);
}

static void put_trace(struct dumper *d, struct out *out, const struct resolved_sample *s)
{
	const struct tracepoint *tp = s->sample.raw ? dump_tracepoint(d, s) : NULL;
	if (tp)
		trace_text(out, d->tracepoints, tp, s->sample.raw, s->sample.raw_bytes, &d->trace_names);
}

/* The values between the event's name and the address. */
static void put_values(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	if (of & DUMP_FIELD(FLAGS))
		out_fill(out, ' ', 24); /* only instruction traces have flags, which are not decoded here */
	if (of & DUMP_FIELD(TRACE))
		put_trace(d, out, s);
	if (of & DUMP_FIELD(ADDR))
		put_address(d, out, of, s);
	if (of & DUMP_FIELD(DATA_SRC))
		put_data_src(d, out, x->data_src);
	if (of & DUMP_FIELD(WEIGHT))
		out_u64_width(out, x->weight, 16, ' ');
	if (of & DUMP_FIELD(INS_LAT))
		out_u64_width(out, x->weight2, 16, ' ');
	if (of & DUMP_FIELD(RETIRE_LAT))
		out_u64_width(out, x->weight3, 16, ' ');
	if (of & DUMP_FIELD(CGROUP)) {
		const char *path = machine_cgroup(d->machine, x->cgroup);
		out_ch(out, ' ');
		out_text(out, path ? path : "unknown", strlen(path ? path : "unknown"));
	}
}

static void put_extras(struct dumper *d, struct out *out, uint64_t of, const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	if (of & DUMP_FIELD(IREGS))
		dump_registers(d, out, &x->intr_regs);
	if (of & DUMP_FIELD(UREGS))
		dump_registers(d, out, &x->user_regs);
	if (of & (DUMP_FIELD(BRSTACK) | DUMP_FIELD(BRSTACKSYM) | DUMP_FIELD(BRSTACKOFF)))
		dump_branches(d, out, of, s);
	if (of & DUMP_FIELD(BPF_OUTPUT) && s->event->attr.type == PERF_TYPE_SOFTWARE &&
	    s->event->attr.config == PERF_COUNT_SW_BPF_OUTPUT && x->raw)
		dump_bpf_output(out, x->raw, x->raw_bytes);
	dump_insns(d, out, of, s);
	if (of & DUMP_FIELD(PHYS_ADDR))
		out_hex_width(out, x->phys_addr, 16, ' ');
	if (of & DUMP_FIELD(DATA_PAGE_SIZE)) {
		out_ch(out, ' ');
		out_str(out, data_src_page_size(x->data_page_size));
	}
	if (of & DUMP_FIELD(CODE_PAGE_SIZE)) {
		out_ch(out, ' ');
		out_str(out, data_src_page_size(x->code_page_size));
	}
}

void dumper_sample(struct dumper *d, struct out *out, const struct resolved_sample *s)
{
	const struct sample *x = &s->sample;
	unsigned kind = dump_kind(&s->event->attr);
	uint64_t of = d->options.fields.of[kind];
	if (!of)
		return;
	struct dump_task task = { .pid = x->pid, .tid = x->tid, .cpu = x->cpu, .time_ns = x->time, .comm = s->comm,
				  .misc = x->misc, .type = PERF_RECORD_SAMPLE, .id = x->id };
	dump_columns(d, out, s->event, &task);
	if (of & DUMP_FIELD(PERIOD)) {
		out_u64_width(out, x->period, 10, ' ');
		out_ch(out, ' ');
	}
	if (of & DUMP_FIELD(EVENT))
		put_event_name(d, out, x->event);
	put_values(d, out, of, s);
	if (of & DUMP_FIELD(IP)) {
		if (d->options.show_chains && x->callchain) {
			out_ch(out, '\n');
			dump_stack(d, out, kind, s);
		} else {
			dump_leaf(d, out, kind, s);
		}
	}
	put_extras(d, out, of, s);
	out_ch(out, '\n');
	if (of & DUMP_FIELD(SRCCODE))
		dump_srccode(d, out, s);
}

/* The task of a side-band record, if it is not that of the trailer. */
static void task_of_record(struct record r, struct dump_task *t)
{
	struct record_comm comm;
	struct record_task task;
	struct record_mmap mmap;
	struct record_namespaces ns;
	if (r.hdr->type == PERF_RECORD_COMM && record_decode_comm(r, &comm))
		t->pid = comm.pid, t->tid = comm.tid;
	else if ((r.hdr->type == PERF_RECORD_FORK || r.hdr->type == PERF_RECORD_EXIT) && record_decode_task(r, &task))
		t->pid = task.pid, t->tid = task.tid;
	else if ((r.hdr->type == PERF_RECORD_MMAP || r.hdr->type == PERF_RECORD_MMAP2) && record_decode_mmap(r, &mmap))
		t->pid = mmap.pid, t->tid = mmap.tid;
	else if (r.hdr->type == PERF_RECORD_NAMESPACES && record_decode_namespaces(r, &ns))
		t->pid = ns.pid, t->tid = ns.tid;
}

void dumper_record(struct dumper *d, struct out *out, struct record r, uint64_t time_ns)
{
	const struct env_event *e = d->env->events.len ? &d->env->events.data[0] : NULL;
	const struct sample_layout *layout = e ? env_tail_layout(d->env) : NULL;
	struct sample_tail tail = { 0 };
	struct dump_task task = { .misc = r.hdr->misc, .type = (uint16_t)r.hdr->type };
	if (!layout || !sample_tail_decode(layout, r, &tail) || !tail.present)
		tail = (struct sample_tail){ 0 };
	const uint64_t *by_id = tail.id ? u64map_get(&d->env->event_by_id, tail.id) : NULL;
	if (by_id && *by_id < d->env->events.len)
		e = &d->env->events.data[*by_id];
	struct dump_task about = { .pid = tail.pid, .tid = tail.tid };
	task_of_record(r, &about);
	task.pid = tail.present ? tail.pid : about.pid;
	task.tid = tail.present ? tail.tid : about.tid;
	task.cpu = tail.present ? tail.cpu : 0;
	task.id = tail.id;
	task.time_ns = tail.present ? tail.time : r.hdr->type == PERF_RECORD_FORK || r.hdr->type == PERF_RECORD_EXIT ? time_ns : 0;
	const struct thread *thread = machine_thread(d->machine, about.pid, about.tid, time_ns);
	task.comm = strtab_get(machine_strings(d->machine), machine_comm(d->machine, thread, time_ns));
	dump_columns(d, out, e, &task);
	event_text(out, d->env, r);
}
