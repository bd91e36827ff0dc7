#include "analysis/memory/c2c.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/c2c_lines.h"
#include "arch/arch.h"
#include "base/mem.h"
#include "base/out.h"
#include "base/text.h"
#include "disasm/disasm.h"
#include "session/session.h"

#define INSTRUCTION_BYTES 16 /* at most */

struct c2c {
	struct c2c_request q;
	struct session session;
	struct arena arena;
	struct c2c_sums sums;
	struct c2c_lines lines;
	struct disasm *disasm; /* NULL: instructions are not shown */
};

/* ---- options ---- */

static struct strobe_error *choose_display(struct c2c *c)
{
	static const char *const names[] = { [C2C_TOTAL] = "tot", [C2C_LOCAL] = "lcl", [C2C_REMOTE] = "rmt", [C2C_PEER] = "peer" };
	const char *arch = c->session.env->arch;
	const char *name = c->q.display ? c->q.display : arch && (!strcmp(arch, "aarch64") || !strcmp(arch, "arm64")) ? "peer" : "tot";
	for (enum c2c_display d = C2C_TOTAL; d <= C2C_PEER; d++)
		if (!strcmp(name, names[d])) {
			c->sums.display = d;
			return NULL;
		}
	return error_create(ERROR_USAGE, "-d: unknown display '%s': expected tot, lcl, rmt or peer", name);
}

static struct strobe_error *choose_keys(struct c2c *c)
{
	static const char *const names[] = { [C2C_PID] = "pid", [C2C_TID] = "tid", [C2C_CODE] = "iaddr", [C2C_OBJECT] = "dso" };
	const char *list = c->q.coalesce ? c->q.coalesce : "iaddr";
	for (const char *at = list; *at; at += strspn(at, ",")) {
		size_t n = strcspn(at, ",");
		unsigned key = 0;
		while (key < C2C_KEYS && (strlen(names[key]) != n || memcmp(names[key], at, n) != 0))
			key++;
		if (key == C2C_KEYS && (n != strlen("offset") || memcmp(at, "offset", n) != 0))
			return error_create(ERROR_USAGE, "-c: unknown key '%.*s': expected pid, tid, iaddr or dso", (int)n, at);
		if (key < C2C_KEYS && !c->sums.has_key[key]) {
			c->sums.has_key[key] = true;
			c->sums.keys[c->sums.keys_nr++] = key;
		}
		at += n;
	}
	c->sums.grouping = arena_printf(&c->arena, "offset,%s", list);
	return NULL;
}

/* ---- samples ---- */

static char level_of(uint16_t cpumode)
{
	switch (cpumode) {
	case PERF_RECORD_MISC_KERNEL: return 'k';
	case PERF_RECORD_MISC_GUEST_KERNEL: return 'g';
	case PERF_RECORD_MISC_GUEST_USER: return 'u';
	case PERF_RECORD_MISC_HYPERVISOR: return 'H';
	default: return '.';
	}
}

/* Anonymous memory is private to a process. */
static void set_identity(struct c2c_access *a, const struct resolved_frame *data)
{
	const struct mapped_file *file = data->map ? data->map->file : NULL;
	bool is_own = file && !a->is_kernel && file->kind == MAPPED_ANON;
	a->file = file && !is_own ? file->id : UINT32_MAX;
	a->data_pid = is_own ? a->pid : UINT32_MAX;
	a->data_key = file && !is_own && !a->is_kernel ? data->addr : a->address;
}

/* The key of an address in its object must have the same offset in its line: both have the same offset in the page. */
static uint64_t key_of(const struct c2c_access *a)
{
	const uint64_t page = 4096;
	return (a->data_key & ~(page - 1)) | (a->address & (page - 1));
}

static const char *source_of(struct c2c *c, const struct resolved_frame *code)
{
	if (code->file && code->line)
		return arena_printf(&c->arena, "%s:%" PRIu32, text_base_name(code->file), code->line);
	if (code->symbol)
		return arena_printf(&c->arena, "%s+%" PRIu64, dso_symbol_name(code->dso, code->symbol), code->addr - code->symbol->start);
	return code->map ? arena_printf(&c->arena, "%s[%" PRIx64 "]", code->map->file->name, code->addr) : "??:0";
}

static const char *variable_of(struct c2c *c, const struct resolved_frame *data)
{
	if (!data->symbol)
		return data->map ? data->map->file->name : NULL;
	uint64_t offset = data->addr - data->symbol->start;
	const char *name = dso_symbol_name(data->dso, data->symbol);
	return offset ? arena_printf(&c->arena, "%s+%#" PRIx64, name, offset) : arena_strdup(&c->arena, name);
}

static const char *instruction_of(struct c2c *c, const struct resolved_frame *code)
{
	size_t n = 0;
	const uint8_t *bytes = c->disasm && code->dso ? dso_code(code->dso, code->addr, &n) : NULL;
	if (!bytes || !n)
		return NULL;
	struct out text;
	out_init_mem(&text);
	disasm_text(c->disasm, &text, bytes, n < INSTRUCTION_BYTES ? n : INSTRUCTION_BYTES, code->ip);
	const char *made = out_mem(&text, &n);
	const char *kept = arena_printf(&c->arena, "%.*s", (int)n, made);
	error_destroy(out_close(&text)); /* memory does not fail */
	return kept;
}

static void name_row(struct c2c *c, struct c2c_row *r, const struct resolved_sample *s, const struct resolved_frame *data)
{
	const struct resolved_frame *code = &s->leaf;
	struct c2c_line *line = &c->sums.lines.data[r->line];
	r->comm = arena_strdup(&c->arena, s->comm);
	r->level = level_of(s->sample.misc & PERF_RECORD_MISC_CPUMODE_MASK);
	r->object = code->map ? arena_strdup(&c->arena, code->map->file->name) : "[unknown]";
	r->symbol = code->symbol ? arena_strdup(&c->arena, dso_symbol_name(code->dso, code->symbol)) :
		    code->addr	 ? arena_printf(&c->arena, "0x%016" PRIx64, code->addr) : "0000000000000000";
	r->source = c->sums.has_source ? source_of(c, code) : NULL;
	r->instruction = instruction_of(c, code);
	r->variable = variable_of(c, data);
	if (!line->variable && data->symbol)
		line->variable = arena_strdup(&c->arena, dso_symbol_name(data->dso, data->symbol));
	else if (!line->variable)
		line->variable = r->variable;
}

static struct strobe_error *take_sample(void *ctx, const struct resolved_sample *s)
{
	struct c2c *c = ctx;
	const struct sample *x = &s->sample;
	bool is_new;
	if (!(s->event->attr.sample_type & PERF_SAMPLE_DATA_SRC))
		return NULL;
	struct c2c_access a = {
		.data_src = x->data_src, .weight = x->weight1 ? x->weight1 : x->weight, .physical = x->phys_addr, .address = x->addr,
		.cpu = x->cpu, .pid = x->pid, .tid = x->tid, .code = x->ip,
		.object_id = s->leaf.map ? s->leaf.map->file->id : UINT32_MAX,
	};
	const struct resolved_frame data = resolve_sample_address(resolver_machine(c->session.resolver),
		resolver_symbols(c->session.resolver), s, x->addr);
	a.is_kernel = data.cpumode == PERF_RECORD_MISC_KERNEL;
	a.is_mapped = data.map && s->leaf.map;
	set_identity(&a, &data);
	a.data_key = key_of(&a);
	struct c2c_row *r = c2c_lines_take(&c->lines, &a, &is_new);
	if (is_new)
		name_row(c, r, s, &data);
	if (c->sums.stacks.choice.mode != CALLTREE_NONE && s->chain_nr)
		c2c_stacks_take(&c->sums.stacks, r->line, (uint32_t)(r - c->sums.rows.data), s);
	return NULL;
}

/* ---- the whole ---- */

/* Whether an event of accesses has all of these fields. */
static bool has_accesses(const struct env *env, uint64_t fields)
{
	for (size_t i = 0; i < env->events.len; i++)
		if (!(~env->events.data[i].attr.sample_type & (PERF_SAMPLE_DATA_SRC | fields)))
			return true;
	return false;
}

static struct strobe_error *choose_stacks(struct c2c *c)
{
	const struct env *env = c->session.env;
	const char *choice = c->q.call_graph;
	bool has_stacks = has_accesses(env, PERF_SAMPLE_CALLCHAIN) || has_accesses(env, PERF_SAMPLE_STACK_USER) || resolve_has_calls(env);
	TRY(c2c_stacks_choose(&c->sums.stacks, choice));
	/* A stream tells its events later. */
	if (choice && c->sums.stacks.choice.mode != CALLTREE_NONE && env->events.len && !has_stacks)
		return error_create(ERROR_USAGE, "-g: this recording has no call chains (c2c record -g)");
	if (c->q.stitch_calls && env->events.len && !resolve_has_calls(env))
		session_say(c->q.host, "--stitch-lbr: the recording has no call stacks to stitch (record --call-graph lbr)");
	return NULL;
}

static struct strobe_error *choose_syntax(struct c2c *c)
{
	const char *name = c->q.syntax;
	if (!name)
		return NULL;
	bool is_intel = !strcmp(name, "intel");
	if (!is_intel && strcmp(name, "att") != 0)
		return error_create(ERROR_USAGE, "-M: unknown style '%s': expected att or intel", name);
	c->sums.has_instructions = c->sums.has_key[C2C_CODE];
	return disasm_create(arch_or_native(c->session.env->arch), DISASM_USUAL, is_intel ? DISASM_INTEL : DISASM_ATT, &c->disasm);
}

static struct strobe_error *run(struct c2c *c)
{
	struct c2c_sums *s = &c->sums;
	TRY(session_open(&c->session, c->q.host, c->q.input, c->q.force));
	s->env = c->session.env;
	s->double_lines = c->q.double_lines;
	TRY(choose_display(c));
	TRY(choose_keys(c));
	TRY(choose_stacks(c));
	TRY(choose_syntax(c));
	s->has_source = c->q.with_lines && s->has_key[C2C_CODE];
	const struct session_request request = {
		.symbols = { .vmlinux = c->q.vmlinux },
		.resolve = { .by_address = true, .with_lines = c->q.with_lines, .innermost_lines = true, .with_inlines = true,
			     .with_chains = s->stacks.choice.mode != CALLTREE_NONE, .stitch_calls = c->q.stitch_calls },
	};
	TRY(session_resolve(&c->session, &request));
	c2c_lines_init(&c->lines, s);
	struct strobe_error *err = resolve_stream(c->session.resolver, (struct resolve_callbacks){ .sample = take_sample, .ctx = c });
	s->env = c->session.env;
	if (!err && !has_accesses(s->env, 0))
		err = error_create(ERROR_NOT_FOUND, "this recording has no memory accesses: record them with 'c2c record'");
	c2c_lines_finish(&c->lines, c->q.show_all);
	return err;
}

struct strobe_error *c2c_run(const struct c2c_request *q, struct c2c **ret)
{
	struct c2c *c = *ret = xcalloc(1, sizeof(*c));
	c->q = *q;
	arena_init(&c->arena);
	return run(c);
}

void c2c_destroy(struct c2c *c)
{
	if (!c)
		return;
	c2c_lines_deinit(&c->lines);
	c2c_sums_deinit(&c->sums);
	disasm_destroy(c->disasm);
	session_close(&c->session);
	arena_deinit(&c->arena);
	free(c);
}

const struct c2c_sums *c2c_sums(const struct c2c *c)
{
	return &c->sums;
}

void c2c_remarks(const struct c2c *c)
{
	session_remarks(&c->session, false);
}
