#include "heap/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "exchange/exchange.h"
#include "heap/attach.h"
#include "heap/leaks.h"

#define LEAKS_MOST 20
#define DIRECTORY  "/tmp"

struct check {
	const struct heap_check_job *job;
	struct heap_leaks_options options;
	const char *name;
	struct heap_copy copy;
	struct heap_leaks leaks;
	char *words; /* the request, split into words */
};

/* ---- request ---- */

static struct strobe_error *set(struct check *c, const char *key, const char *value)
{
	uint64_t number;
	struct heap_leaks_options *o = &c->options;
	if (!strcmp(key, "name")) {
		c->name = value;
		return NULL;
	}
	if (!text_to_u64(value, &number))
		return error_create(ERROR_FORMAT, "not a request of the heap checker: '%s %s'", key, value);
	if (!strcmp(key, "tid"))
		o->tid = (pid_t)number;
	else if (!strcmp(key, "stack"))
		o->stack = number;
	else if (!strcmp(key, "threads"))
		o->no_threads = !number;
	else if (!strcmp(key, "globals"))
		o->no_globals = !number;
	else if (!strcmp(key, "since"))
		o->has_since = true, o->since = number;
	return NULL;
}

static struct strobe_error *parse(struct check *c)
{
	char *rest = NULL;
	c->words = xstrdup(c->job->request);
	for (char *line = strtok_r(c->words, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *blank = strchr(line, ' ');
		if (blank)
			*blank = 0;
		TRY(set(c, line, blank ? blank + 1 : ""));
	}
	if (!c->name || !*c->name)
		return error_create(ERROR_FORMAT, "not a request of the heap checker: a program with libstrobe_alloc.so makes it");
	return NULL;
}

static int64_t environment_number(const char *name, int64_t otherwise)
{
	int64_t ret;
	const char *value = getenv(name);
	return value && text_to_i64(value, &ret) ? ret : otherwise;
}

static bool environment_bool(const char *name)
{
	const char *value = getenv(name);
	return value && *value && !strchr("0fFnN", *value);
}

static void read_environment(struct heap_leaks_options *o)
{
	int64_t step = environment_number("HEAP_CHECK_POINTER_SOURCE_ALIGNMENT", 0);
	int64_t most = environment_number("HEAP_CHECK_MAX_POINTER_OFFSET", 0);
	o->step = step > 0 && step <= 8 ? (unsigned)step : 0;
	o->offset_most = most > 0 ? (uint64_t)most : 0;
}

/* ---- text ---- */

struct leak {
	stack_id stack;
	uint64_t objects, bytes;
};

typedef VEC(struct leak) leak_list;

static int compare(const void *a, const void *b)
{
	const struct leak *x = a, *y = b;
	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1) : (x->stack > y->stack) - (x->stack < y->stack);
}

static void collect(const struct profile *p, leak_list *ret)
{
	struct u64map index = {};
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct profile_row *row = &p->rows.data[i];
		bool is_new;
		if (row->event != HEAP_INUSE_OBJECTS && row->event != HEAP_INUSE_SPACE)
			continue;
		uint64_t *at = u64map_put(&index, row->stack, &is_new);
		if (is_new) {
			*at = ret->len;
			vec_push(ret, ((struct leak){ .stack = row->stack }));
		}
		*(row->event == HEAP_INUSE_SPACE ? &ret->data[*at].bytes : &ret->data[*at].objects) += row->value;
	}
	if (ret->len)
		qsort(ret->data, ret->len, sizeof(*ret->data), compare);
	u64map_deinit(&index);
}

static void write_leak(struct out *out, const struct profile *p, const struct leak *l)
{
	out_f(out, "Leak of %" PRIu64 " bytes in %" PRIu64 " objects allocated from:\n", l->bytes, l->objects);
	for (stack_id s = l->stack; s != PROFILE_NONE; s = p->stacks.data[s].caller) {
		const struct profile_frame *f = &p->frames.data[p->stacks.data[s].frame];
		const char *file = f->function == PROFILE_NONE ? "" : profile_str(p, p->functions.data[f->function].file);
		_cleanup_strbuf_ struct strbuf name = {};
		heap_frame_name(p, p->stacks.data[s].frame, &name);
		out_f(out, "\t@ %" PRIx64 " ", f->addr);
		out_text_str(out, strbuf_str(&name));
		if (*file && f->line) {
			out_ch(out, ' ');
			out_text_str(out, text_base_name(file));
			out_f(out, ":%u", f->line);
		}
		out_ch(out, '\n');
	}
}

static void write_leaks(const struct check *c, const struct heap *heap)
{
	struct out *out = c->job->text;
	struct profile *p = heap_callers(heap);
	int64_t most = environment_number("HEAP_CHECK_MAX_LEAKS", LEAKS_MOST);
	leak_list leaks = {};
	collect(p, &leaks);
	size_t nr = most > 0 && (uint64_t)most < leaks.len ? (size_t)most : leaks.len;
	out_f(out, "The %zu largest leaks:\n", nr);
	for (size_t i = 0; i < nr; i++)
		write_leak(out, p, &leaks.data[i]);
	vec_deinit(&leaks);
	profile_destroy(p);
}

static void write_sum(const struct check *c)
{
	const struct heap_leaks *l = &c->leaks;
	uint64_t bytes = 0;
	struct out *out = c->job->text;
	for (size_t i = 0; i < l->blocks.len; i++)
		bytes += l->blocks.data[i].bytes;
	out_str(out, l->blocks.len ? "Leak check " : "No leaks found for check \"");
	out_text_str(out, c->name);
	if (l->blocks.len)
		out_f(out, " detected leaks of %" PRIu64 " bytes in %zu objects\n", bytes, l->blocks.len);
	else
		out_f(out, "\" (but no 100%% guarantee that there aren't any): found %" PRIu64 " reachable heap objects of %" PRIu64
		      " bytes\n", l->reached_objects, l->reached_bytes);
	out_f(c->job->answer, "leaks %zu %" PRIu64 "\n", l->blocks.len, bytes);
}

/* ---- file ---- */

static struct strobe_error *write_heap_text(void *ctx, struct out *out)
{
	const struct exchange_format *format = exchange_by_path("x.heap");
	return format->write(((const struct heap *)ctx)->profile, out);
}

static struct strobe_error *write_profile(const struct check *c, struct heap *heap)
{
	const char *set = getenv("HEAP_CHECK_DUMP_DIRECTORY"), *program = text_base_name(c->copy.region.header.program);
	_cleanup_free_ char *name = xstrdup(c->name);
	for (char *at = name; (at = strchr(at, '/'));)
		*at = '_';
	_cleanup_free_ char *path =
		xasprintf("%s/%s.%u.%s-end.heap", set && *set ? set : DIRECTORY, program, c->job->pid, name);
	TRY(c->job->write_file(path, write_heap_text, heap));
	out_str(c->job->text, "\n\nIf the preceding stack traces are not enough to find the leaks, try running THIS shell command:\n\n"
		"strobe pprof -top -lines -sample_index=inuse_objects \"");
	out_text_str(c->job->text, path);
	out_str(c->job->text, "\"\n\n");
	return NULL;
}

/* ---- the check ---- */

/* Allocations of the loader and of runtime libraries for themselves, which the program cannot release. */
static bool is_of_runtime(const struct heap_region *r, uint32_t entry)
{
	static const char *const runtime[] = { "ld-", "ld.so", "libc.", "libc-", "libstdc++", "libc++", "libgcc_s" };
	struct heap_entry e;
	bool is_runtime = heap_region_entry(r, entry, &e);
	for (uint32_t i = 0; is_runtime && i < e.depth; i++) {
		struct alloc_module m;
		uint32_t module = heap_region_find_module(r, e.modules_nr, (e.frames[i] & ~ALLOC_FRAME_EXACT) - 1);
		bool is_known = heap_region_module(r, module, &m);
		is_runtime = false;
		for (size_t n = 0; n < sizeof(runtime) / sizeof(*runtime) && is_known; n++)
			is_runtime |= text_has_prefix(text_base_name(m.path), runtime[n]);
	}
	return is_runtime;
}

static void leave_out_runtime(struct check *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->leaks.blocks.len; i++)
		if (!is_of_runtime(&c->copy.region, c->leaks.blocks.data[i].entry))
			c->leaks.blocks.data[kept++] = c->leaks.blocks.data[i];
	c->leaks.blocks.len = kept;
}

/* Whether unaligned addresses reach what appears to leak. */
static struct strobe_error *test_alignment(const struct check *c)
{
	struct heap_leaks_options o = c->options;
	struct heap_leaks leaks = {};
	o.step = 1;
	TRY(heap_leaks_find(c->job->pid, &c->copy.region, &o, &leaks));
	if (leaks.blocks.len < c->leaks.blocks.len)
		out_f(c->job->text, "%zu of them are found where pointers need not be aligned: something might place pointers at "
		      "unaligned addresses (HEAP_CHECK_POINTER_SOURCE_ALIGNMENT=1)\n", c->leaks.blocks.len - leaks.blocks.len);
	heap_leaks_deinit(&leaks);
	return NULL;
}

static struct strobe_error *report(struct check *c)
{
	struct heap heap;
	heap_init(&heap, true);
	heap_add_leaks(&heap, &c->copy.region, c->job->pid, &c->leaks, environment_bool("HEAP_CHECK_IDENTIFY_LEAKS"));
	struct strobe_error *err = heap_name(&heap, c->job->host);
	if (!err) {
		write_leaks(c, &heap);
		err = write_profile(c, &heap);
	}
	heap_deinit(&heap);
	return err;
}

static struct strobe_error *run(struct check *c)
{
	TRY(parse(c));
	read_environment(&c->options);
	TRY(heap_copy(&c->copy, c->job->pid));
	TRY(heap_leaks_find(c->job->pid, &c->copy.region, &c->options, &c->leaks));
	if (c->options.no_globals)
		leave_out_runtime(c);
	write_sum(c);
	if (!c->leaks.blocks.len)
		return NULL;
	if (environment_bool("HEAP_CHECK_TEST_POINTER_ALIGNMENT"))
		TRY(test_alignment(c));
	return report(c);
}

struct strobe_error *heap_check_run(const struct heap_check_job *job)
{
	struct check c = { .job = job };
	struct strobe_error *err = run(&c);
	heap_leaks_deinit(&c.leaks);
	heap_copy_deinit(&c.copy);
	free(c.words);
	return err;
}
