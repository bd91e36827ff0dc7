#include "tracing/func/choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bpf/load/probes.h"
#include "demangle/demangle.h"
#include "object/object.h"
#include "probe/forbidden.h"
#include "probe/functions.h"
#include "tracing/func/exits.h"
#include "tracing/func/files.h"
#include "tracing/func/signature.h"

/* The kernel's limit per link: MAX_UPROBE_MULTI_CNT, MAX_KPROBE_MULTI_CNT. */
#define FUNCS_MAX (1u << 20)

void func_choice_init(struct func_choice *c)
{
	*c = (struct func_choice){};
	arena_init(&c->arena);
}

void func_choice_deinit(struct func_choice *c)
{
	vec_deinit(&c->funcs);
	vec_deinit(&c->plans);
	vec_deinit(&c->at);
	vec_deinit(&c->exits);
	vec_deinit(&c->exit_cookies);
	vec_deinit(&c->files);
	for (size_t i = 0; i < c->debug.len; i++) {
		probe_variables_close(c->debug.data[i].variables);
		object_close(c->debug.data[i].object);
	}
	vec_deinit(&c->debug);
	arena_deinit(&c->arena);
}

/*
 * To trace returns, the kernel replaces the return address. These functions read or store their return address, or have none: the
 * program would crash.
 */
static bool needs_return_address(const char *name)
{
	static const char *const names[] = { "_start", "_setjmp", "setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "__vfork",
					     "getcontext", "swapcontext", "makecontext", "__start_context", "clone", "__clone", "clone3",
					     "__clone3", "__restore_rt", "_dl_start", "_dl_start_user", "_dl_runtime_resolve*",
					     "_dl_runtime_profile*", "_Unwind_RaiseException", "_Unwind_Resume",
					     "_Unwind_Resume_or_Rethrow", "_Unwind_ForcedUnwind", "_Unwind_Backtrace", "morestack*" };
	/* PLT stubs jump there with the same return address. */
	_cleanup_free_ char *plain = xstrndup(name, strcspn(name, "@"));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (text_glob(names[i], plain))
			return true;
	return false;
}

/* Functions that compilers add to each program, which globs do not match. */
static bool is_runtime(const char *name)
{
	static const char *const names[] = { "_start", "_init", "_fini", "frame_dummy", "register_tm_clones", "deregister_tm_clones",
					     "__do_global_dtors_aux", "__libc_csu_init", "__libc_csu_fini", "_dl_relocate_static_pie" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

struct search {
	struct func_choice *choice;
	struct object *object; /* NULL: the kernel */
	const char *pattern, *file;
	bool entry_only;       /* all of them */
	struct disasm *disasm; /* for exits; NULL: returns are traced by return addresses */
	const struct probe_functions *functions;
	struct probe_variables *variables; /* NULL: no debug information */
	uint16_t str_limit;
};

/* The demangled name, if it matches the pattern, else NULL. */
static const char *match(const struct search *s, const char *name)
{
	bool is_stub = text_has_suffix(name, "@plt");
	size_t n = is_stub || strchr(s->pattern, '@') ? strlen(name) : strcspn(name, "@");
	_cleanup_free_ char *plain = xstrndup(name, n);
	_cleanup_free_ char *readable = demangle_is_mangled(plain) ? demangle_name(plain) : NULL;
	if (is_runtime(plain) && strpbrk(s->pattern, "*?["))
		return NULL;
	if (!text_glob(s->pattern, plain) && (!readable || !text_glob(s->pattern, readable)))
		return NULL;
	return arena_strdup(&s->choice->arena, readable ? readable : plain);
}

/*
 * Whether the kernel refuses a probe there, since it cannot execute the instruction out of line (good_insns_64 in its uprobes.c). One
 * such address would make the probes at all others fail.
 */
static bool is_refused(const struct search *s, uint64_t address)
{
	size_t n;
	const uint8_t *code = object_bytes_at(s->object, address, &n);
	if (object_header(s->object)->machine != 62) /* EM_X86_64 */
		return false;
	if (!code || n < 2)
		return true;
	/* lock, segment prefixes but fs and gs, int3, int, hlt, in and out, undefined ones, AVX-512; syscall. */
	return memchr("\xf0\x2e\x36\x26\xcc\xcd\xf4\xe4\xe5\xe6\xe7\xec\xed\xee\xef\x6c\x6d\x6e\x6f\xfa\xfb\x06\x0e\x62", code[0], 24) ||
	       (code[0] == 0x3e && code[1] != 0xff) || (code[0] == 0x0f && (code[1] == 0x05 || code[1] == 0x0b || code[1] == 0x34));
}

/*
 * Whether the symbol is a function. One without a size is a label in a function; and parts to which functions jump do not have a
 * return address on top of the stack.
 */
static bool is_function(const struct search *s, const struct probe_function *p)
{
	return p->is_code && (p->bytes || !s->object) && !strstr(p->name, ".cold");
}

static int by_place(const void *a, const void *b)
{
	uint64_t l = *(const uint64_t *)a, r = *(const uint64_t *)b;
	return l < r ? -1 : l > r;
}

/* Whether an earlier pattern has selected it. Functions of a file are sorted by address. */
static bool is_chosen(const struct func_choice *c, const char *path, uint64_t at)
{
	for (size_t i = 0; i < c->files.len; i++) {
		const struct trace_func_file *f = &c->files.data[i];
		bool same = path && f->path ? !strcmp(path, f->path) : path == f->path;
		if (same && bsearch(&at, c->at.data + f->first, f->nr, sizeof(at), by_place))
			return true;
	}
	return false;
}

/* Chooses how returns of the function are traced; its exits become those of the next function of the choice. */
static enum trace_func_returns returns_of(const struct search *s, struct trace_func_file *f, const struct probe_function *p,
					  const char *name)
{
	struct func_choice *c = s->choice;
	func_exits exits = {};
	if (s->entry_only || needs_return_address(name))
		return TRACE_FUNC_NO_RETURNS;
	if (!s->disasm)
		return TRACE_FUNC_BY_ADDRESS;
	bool found = func_exits_find(s->object, s->disasm, s->functions, p, &exits);
	for (size_t i = 0; i < exits.len; i++) {
		vec_push(&c->exits, exits.data[i].at);
		vec_push(&c->exit_cookies, c->funcs.len | (exits.data[i].is_jump ? TRACE_FUNC_LEFT_BY_JUMP : 0u));
		f->exits_nr++;
	}
	vec_deinit(&exits);
	return found ? TRACE_FUNC_BY_EXITS : TRACE_FUNC_NO_RETURNS;
}

static void add(const struct search *s, struct trace_func_file *f, const struct probe_function *p, const char *name)
{
	struct func_choice *c = s->choice;
	uint64_t at = p->address;
	if (s->object && !object_offset_of_vaddr(s->object, p->address, &at))
		return;
	if (is_chosen(c, f->path, at))
		return;
	if (s->object && is_refused(s, p->address)) {
		log_info("%s of %s is not traced: the kernel cannot probe its first instruction", name, s->file);
		return;
	}
	enum trace_func_returns returns = returns_of(s, f, p, name);
	struct func func = { .name = name, .file = s->file, .address = p->address, .entry_only = returns == TRACE_FUNC_NO_RETURNS };
	struct trace_func plan = { .returns = (uint8_t)returns };
	if (s->object && !object_header(s->object)->is_64bit)
		plan.compat = TRACE_FUNC_STACK_WORDS;
	if (s->variables && !text_has_suffix(name, "@plt"))
		func.signature = func_signature_make(s->variables, p->address, object_header(s->object)->arch, func_language_of(p->name),
						     s->str_limit, &c->arena, &plan);
	vec_push(&c->funcs, func);
	vec_push(&c->plans, plan);
	vec_push(&c->at, at);
	f->nr++;
}

/* A program has an interpreter segment, or a fixed address. */
static bool is_library(const struct object *o)
{
	for (size_t i = 0; i < object_segments_count(o); i++)
		if (object_segment(o, i)->type == 3) /* PT_INTERP */
			return text_glob("*libc.so*", object_name(o)) || text_glob("*/ld-*", object_name(o));
	return object_header(o)->type == 3; /* ET_DYN */
}

/* Functions are sorted by address: one with several names occurs several times in a row. */
static struct strobe_error *add_all(const struct search *s, const char *path, const struct probe_functions *functions)
{
	struct func_choice *c = s->choice;
	struct trace_func_file f = { .path = path ? arena_strdup(&c->arena, path) : NULL, .first = (uint32_t)c->funcs.len,
				     .is_library = s->object && is_library(s->object) };
	uint64_t last = 0;
	bool found = false, variants = false;
	for (size_t i = 0; i < functions->list.len; i++) {
		const struct probe_function *p = &functions->list.data[i];
		const char *name = is_function(s, p) && (!found || p->address != last) ? match(s, p->name) : NULL;
		if (!name)
			continue;
		if (p->is_resolver) { /* callers of this name reach another function */
			variants = true;
			continue;
		}
		add(s, &f, p, name);
		last = p->address;
		found = true;
	}
	if (!found && variants)
		return error_create(ERROR_NOT_FOUND, "%s of %s has several implementations, selected by processor: try '*%s*'",
				    s->pattern, s->file, s->pattern);
	if (!found)
		return error_create(ERROR_NOT_FOUND, "%s has no function '%s'%s", path ? path : "the kernel", s->pattern,
				    functions->list.len ? "" : ": it has no symbols");
	if (f.nr > FUNCS_MAX)
		return error_create(ERROR_LIMIT, "'%s' matches %u functions of %s: at most %u can be traced", s->pattern, f.nr, s->file,
				    FUNCS_MAX);
	vec_push(&c->files, f);
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static struct strobe_error *add_of_object(struct search *s, const char *path)
{
	struct probe_functions functions;
	/* Go moves goroutine stacks, and would find the kernel's return address there. */
	s->entry_only = object_find_section(s->object, ".gopclntab") != NULL;
	struct strobe_error *err = NULL;
	probe_functions_of_file(s->object, path, NULL, &functions);
	probe_functions_sort(&functions);
	if (!s->entry_only && func_exits_are_needed(s->object))
		err = disasm_create(object_header(s->object)->arch, DISASM_USUAL, DISASM_ATT, &s->disasm);
	if (err) {
		log_info("returns of functions of %s are not traced: it has exceptions, and %s", path, err->message);
		error_destroy(err);
		s->entry_only = true;
	}
	s->functions = &functions;
	err = add_all(s, path, &functions);
	probe_functions_deinit(&functions);
	disasm_destroy(take_ptr(s->disasm));
	return err;
}

/* The object stays open for its types. */
static struct strobe_error *add_of_file(struct search *s, const struct func_context *where, const char *path)
{
	static const struct probe_debug_options nowhere;
	struct func_debug debug = {};
	s->file = arena_strdup(&s->choice->arena, base_name(path));
	TRY(object_open(path, &debug.object));
	error_destroy(probe_variables_of_program(debug.object, path, where->debug ? where->debug : &nowhere, &debug.variables));
	vec_push(&s->choice->debug, debug);
	s->object = debug.object;
	s->variables = debug.variables;
	s->str_limit = (uint16_t)where->str_limit;
	return add_of_object(s, path);
}

/* A function that the kernel refuses would make all others fail. */
static void leave_out_forbidden(const struct sys *sys, const char *pattern, struct probe_functions *f)
{
	struct probe_forbidden forbidden;
	size_t found = 0, left_out = 0;
	probe_forbidden_read(sys, f, &forbidden);
	for (size_t i = 0; i < f->list.len; i++) {
		struct probe_function *p = &f->list.data[i];
		if (!p->is_code || !probe_name_matches(pattern, p->name))
			continue;
		found++;
		p->is_code = !probe_forbidden_has(&forbidden, p->name);
		left_out += !p->is_code;
	}
	probe_forbidden_deinit(&forbidden);
	if (left_out)
		log_warn("%zu of %zu functions cannot be probed (the kernel's blacklist of kprobes, notrace) and are skipped",
			 left_out, found);
}

static struct strobe_error *add_of_kernel(struct search *s, const struct sys *sys)
{
	struct probe_functions functions;
	s->file = "kernel";
	TRY(bpf_check_kernel_probes(sys));
	TRY(probe_functions_of_kernel(sys, NULL, &functions));
	if (strpbrk(s->pattern, "*?["))
		leave_out_forbidden(sys, s->pattern, &functions);
	struct strobe_error *err = add_all(s, NULL, &functions);
	probe_functions_deinit(&functions);
	return err;
}

/* The colon between file and function, not those in "ns::f". NULL: none. */
static const char *find_colon(const char *pattern)
{
	const char *colon = strchr(pattern, ':');
	return colon && colon[1] == ':' ? NULL : colon;
}

struct strobe_error *func_choice_add(struct func_choice *c, const struct func_context *where, const char *pattern)
{
	const char *colon = find_colon(pattern), *glob = colon ? colon + 1 : pattern;
	struct search s = { .choice = c, .pattern = glob };
	_cleanup_free_ char *word = colon && colon > pattern ? xstrndup(pattern, (size_t)(colon - pattern)) : NULL;
	_cleanup_free_ char *path = NULL;
	if (!*glob)
		return error_create(ERROR_USAGE, "--func '%s': the name of a function or a glob is missing", pattern);
	if (word && !strcmp(word, "kernel"))
		return error_prefix(add_of_kernel(&s, where->sys), "--func '%s'", pattern);
	TRY(error_prefix(func_file_find(where, word, &path), "--func '%s'", pattern));
	return error_prefix(add_of_file(&s, where, path), "--func '%s'", pattern);
}

void func_choice_finish(struct func_choice *c)
{
	size_t exit = 0;
	for (size_t i = 0; i < c->files.len; i++) {
		struct trace_func_file *f = &c->files.data[i];
		f->at = c->at.data + f->first;
		f->exits = c->exits.data + exit;
		f->exit_cookies = c->exit_cookies.data + exit;
		exit += f->exits_nr;
	}
	c->bpf = (struct trace_funcs){ .plans = c->plans.data, .nr = (uint32_t)c->funcs.len, .files = c->files.data,
				       .files_nr = c->files.len };
}
