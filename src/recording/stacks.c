/*
 * --call-graph eh and auto, and -g: whether a BPF program can walk stacks here, and the replacement if not.
 */
#include <config.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/log.h"
#include "base/mem.h"
#include "interp/script_table.h"
#include "object/object.h"
#include "recording/priv.h"
#include "recording/walked_stacks.h"
#include "unwind/table.h"

static bool keeps_frame_pointers(const char *path)
{
	struct object *o;
	struct strobe_error *err = object_open(path, &o);
	if (err) {
		error_destroy(err);
		return false;
	}
	struct unwind_table *t = unwind_table_of(o, NULL);
	bool keeps = t && object_header(o)->arch && unwind_table_fp_share(t, object_header(o)->arch->dwarf_fp) > 0.5;
	unwind_table_destroy(t);
	object_close(o);
	return keeps;
}

/* Searches like execvp(3); NULL: not found. */
static char *find_command(const char *name)
{
	const char *path = getenv("PATH");
	if (strchr(name, '/') || !path)
		return xstrdup(name);
	for (const char *at = path; *at; at += *at == ':') {
		size_t n = strcspn(at, ":");
		char *file = xasprintf("%.*s/%s", (int)n, at, name);
		if (!access(file, X_OK))
			return file;
		free(file);
		at += n;
	}
	return NULL;
}

static char *path_of_libc(void)
{
	Dl_info libc;
	if (!library_can_load()) /* statically linked: the system's first process has the system's C library, or is built similarly */
		return xstrdup("/proc/1/exe");
	return dladdr((void *)(uintptr_t)malloc, &libc) && libc.dli_fname ? xstrdup(libc.dli_fname) : NULL;
}

/*
 * A program to examine for frame pointers: the command, the first process, or the C library, since a distribution builds all
 * programs similarly.
 */
static char *program_of(const struct recorder *r)
{
	const struct target *t = &r->o.capture.target;
	const char *one = t->pids ? t->pids : t->tids;
	if (r->o.argv)
		return find_command(r->o.argv[0]);
	if (one)
		return xasprintf("/proc/%.*s/exe", (int)strcspn(one, ","), one);
	return path_of_libc();
}

/* On a terminal, print in advance why stacks will be truncated. */
static void hint_at_frame_pointers(const struct recorder *r)
{
	const struct callgraph_options *c = &r->o.capture.callgraph;
	if (!r->host.session || !r->host.session->is_attended || !r->o.argv || c->kernel_only || c->leaf)
		return;
	_cleanup_free_ char *program = program_of(r);
	if (program && !keeps_frame_pointers(program))
		recorder_say(r, RECORDER_NOTE, "%s has no frame pointers, so its stacks will be short: %s", program,
			     r->requested_stacks == CALLGRAPH_DEFAULT ? "-g records whole ones as root, --call-graph dwarf without" :
									"use -g, which does not require them");
}

/* Selects the replacement of eh. */
static void choose_other(struct recorder *r, const struct strobe_error *why)
{
	struct callgraph_options *c = &r->o.capture.callgraph;
	bool fp = r->requested_stacks == CALLGRAPH_DEFAULT || c->kernel_only;
	_cleanup_free_ char *program = fp ? NULL : program_of(r);
	fp = fp || (program && keeps_frame_pointers(program));
	c->mode = fp ? CALLGRAPH_FP : CALLGRAPH_DWARF;
	r->o.capture.sample_identifier = r->requested_identifier;
	if (r->requested_stacks == CALLGRAPH_DEFAULT) {
		log_info("call chains by frame pointers: %s", why->message);
		hint_at_frame_pointers(r);
		return;
	}
	c->leaf = fp && !r->o.capture.user_regs;
	c->dump_bytes = fp ? 0 : RECORDER_DUMP_BYTES;
	recorder_say(r, RECORDER_NOTE, "--call-graph auto is %s: %s", fp ? "fp" : "dwarf", why->message);
}

/* For a stream, whose header cannot be completed at the end. Errors are reported by later writes. */
static void stream_script(void *ctx, const void *table, size_t bytes)
{
	struct recorder *r = ctx;
	error_destroy(writer_scripts(r->output.writer, table, bytes));
}

static struct strobe_error *open_stacks(struct recorder *r)
{
	const struct callgraph_options *c = &r->o.capture.callgraph;
	struct walked_stacks_options o = {
		.sys = r->sys,
		.events = &r->events,
		.capture = &r->o.capture,
		.no_samples = c->mode != CALLGRAPH_EH && c->mode != CALLGRAPH_AUTO && c->mode != CALLGRAPH_DEFAULT,
		.waits = { .on = r->o.waits, .split = r->o.waits == RECORDER_WALL, .of_locks = r->o.waits == RECORDER_LOCKS,
			   .quantum_ns = r->o.wait_quantum_ns, .frames_max = c->mode == CALLGRAPH_NONE ? 1 : c->max_stack },
		.followed = r->filter ? task_filter_tasks(r->filter) : NULL,
		.followed_map = r->filter ? task_filter_map(r->filter) : -1,
		.take_script = r->output.pipe ? stream_script : NULL,
		.script_ctx = r,
	};
	TRY(walked_stacks_open(&o, &r->stacks));
	r->unwinder = walked_stacks_unwinder(r->stacks);
	return NULL;
}

/* The program walks the stacks of waits, independent of those of samples. */
static struct strobe_error *open_for_waits(struct recorder *r)
{
	struct callgraph_options *c = &r->o.capture.callgraph;
	static const char *const options[] = { [RECORDER_OFFCPU] = "--off-cpu", [RECORDER_WALL] = "--wall", [RECORDER_LOCKS] = "--locks" };
	const char *option = options[r->o.waits];
	if (r->lacks_filter)
		return error_with_check("bpf-programs bpf-kernel bpf-rights", error_create(ERROR_UNSUPPORTED,
					"%s: a BPF program that follows tasks cannot be loaded; -v says why", option));
	TRY(error_prefix(open_stacks(r), "%s", option));
	if (c->mode == CALLGRAPH_AUTO || c->mode == CALLGRAPH_DEFAULT)
		c->mode = CALLGRAPH_EH;
	r->o.capture.sample_identifier = true;
	return NULL;
}

struct strobe_error *recorder_choose_stacks(struct recorder *r)
{
	struct callgraph_options *c = &r->o.capture.callgraph;
	r->requested_stacks = c->mode;
	r->requested_identifier = r->o.capture.sample_identifier;
	if (r->o.waits)
		return open_for_waits(r);
	if (c->mode == CALLGRAPH_FP)
		hint_at_frame_pointers(r);
	if (c->mode != CALLGRAPH_EH && c->mode != CALLGRAPH_AUTO && c->mode != CALLGRAPH_DEFAULT)
		return NULL;
	if (!walked_stacks_is_of_any(&r->events)) {
		c->mode = CALLGRAPH_FP;
		return NULL;
	}
	struct strobe_error *err = open_stacks(r);
	if (!err) {
		c->mode = CALLGRAPH_EH;
		r->o.capture.sample_identifier = true;
		return NULL;
	}
	if (c->mode == CALLGRAPH_EH)
		return error_prefix(err, "--call-graph eh");
	choose_other(r, err);
	error_destroy(err);
	return NULL;
}

void recorder_fill_scripts(struct recorder *r, struct env *env)
{
	struct strbuf table = {};
	if (r->unwinder && stack_unwinder_scripts(r->unwinder, &table))
		env_set_section(env, SCRIPT_FEATURE, arena_memdup(&env->arena, table.data, table.len), table.len);
	strbuf_deinit(&table);
	_cleanup_free_ char *unknown = r->unwinder ? stack_unwinder_unknown_interpreter(r->unwinder) : NULL;
	if (unknown)
		recorder_say(r, RECORDER_NOTE, "%s: unknown version of the interpreter; its stacks are native ones", unknown);
}

struct strobe_error *recorder_attach_stacks(struct recorder *r)
{
	if (!r->stacks)
		return NULL;
	recorder_fill_facts(r); /* while the program loads, which is waited for */
	TRY(error_prefix(walked_stacks_attach(r->stacks, r->capture), "--call-graph eh"));
	if (r->requested_stacks != CALLGRAPH_EH)
		log_info("call chains by call frame information (eh)");
	return NULL;
}

bool recorder_choose_other_stacks(struct recorder *r, struct strobe_error *why)
{
	if (!r->stacks || r->requested_stacks == CALLGRAPH_EH || r->o.waits)
		return false;
	choose_other(r, why);
	error_destroy(why);
	r->unwinder = NULL;
	walked_stacks_close(take_ptr(r->stacks));
	return true;
}

struct record_sink *recorder_path_sink(struct recorder *r, struct record_path *path, struct record_sink *to)
{
	to = record_objects_sink(&path->objects, to);
	if (!r->unwinder)
		return to;
	path->chain.to = to;
	if (!path->chain.unwinder)
		chain_sink_init(&path->chain, r->unwinder, to);
	return &path->chain.sink;
}

bool recorder_walks_all_stacks(const struct recorder *r)
{
	const struct event_set *set = capture_events(r->capture);
	for (size_t i = 0; i < set->events.len; i++)
		if (set->events.data[i].terms.set & (EVENT_TERM_CALL_GRAPH | EVENT_TERM_STACK_SIZE))
			return false;
	return r->unwinder && r->o.capture.callgraph.mode == CALLGRAPH_EH;
}

static void add_walked_object(void *ctx, const struct mapped_file *f)
{
	record_objects_add(ctx, f->build_id, f->build_id_len, f->path, f->last_pid);
}

void recorder_add_walked_objects(struct recorder *r)
{
	stack_unwinder_each_file(r->unwinder, add_walked_object, &r->path.objects);
}

struct strobe_error *recorder_settle_stacks(struct recorder *r)
{
	TRY(chain_sink_settle(&r->path.chain, true));
	for (unsigned i = 0; i < r->parts_nr; i++)
		TRY(chain_sink_settle(&r->parts[i].chain, true));
	return NULL;
}

void recorder_release_stacks(struct recorder *r)
{
	chain_sink_deinit(&r->path.chain);
	for (unsigned i = 0; i < r->parts_nr; i++)
		chain_sink_deinit(&r->parts[i].chain);
	walked_stacks_close(r->stacks);
}
