#include "bpf/trace/trace_funcs.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "bpf/load/programs.h"
#include "bpf/trace/trace_targets.h"

static bool has_file(const struct trace_funcs *f, bool kernel)
{
	for (size_t i = 0; f && i < f->files_nr; i++)
		if (f->files[i].nr && !f->files[i].path == kernel)
			return true;
	return false;
}

bool trace_funcs_have_kernel(const struct trace_funcs *f)
{
	return has_file(f, true);
}

size_t trace_funcs_without(const struct trace_funcs *f, const struct trace_func_programs *p, const char **ret)
{
	size_t n = 0;
	if (!has_file(f, false)) {
		ret[n++] = p->enter;
		ret[n++] = p->leave;
		ret[n++] = p->exit;
	}
	if (!has_file(f, true)) {
		ret[n++] = p->kernel_enter;
		ret[n++] = p->kernel_leave;
	}
	return n;
}

/* The maximum number of library functions for which probes may hit every process that uses the library. */
#define FEW_FUNCTIONS 64

static bool is_for_all(const struct trace_targets *t, const struct trace_func_file *f)
{
	bool few = !f->is_library || f->nr <= FEW_FUNCTIONS;
	return t->map->system_wide || !f->path || (t->inherit && few);
}

bool trace_funcs_leave_out_children(const struct trace_targets *t)
{
	bool any = false;
	for (size_t i = 0; t->funcs && i < t->funcs->files_nr; i++)
		any |= t->inherit && !is_for_all(t, &t->funcs->files[i]);
	return any;
}

typedef VEC(pid_t) process_list;

/* Chooses the processes that the probes of a file are limited to; none: all. */
static void choose_processes(const struct trace_targets *t, const struct trace_func_file *file, process_list *ret)
{
	for (size_t i = 0; !is_for_all(t, file) && i < t->map->threads.len; i++) {
		pid_t pid = t->map->threads.data[i].pid;
		bool known = false;
		for (size_t k = 0; k < ret->len; k++)
			known |= ret->data[k] == pid;
		if (!known)
			vec_push(ret, pid);
	}
}

/* A file, its programs, and the processes that these are limited to. */
struct attaching {
	const struct trace_funcs *funcs;
	const struct trace_func_file *file;
	struct bpf_probe_places places;
	struct bpf_loaded *loaded;
};

/* At entries, or at returns. */
static struct strobe_error *attach_functions(const struct attaching *a, const char *program, bool at_return)
{
	_cleanup_free_ uint64_t *at = xreallocarray(NULL, a->file->nr, sizeof(*at));
	_cleanup_free_ uint64_t *cookies = xreallocarray(NULL, a->file->nr, sizeof(*cookies));
	struct bpf_probe_places places = a->places;
	places.at = at;
	places.cookies = cookies;
	places.at_return = at_return;
	for (uint32_t i = 0; i < a->file->nr; i++) {
		if (at_return && a->funcs->plans[a->file->first + i].returns != TRACE_FUNC_BY_ADDRESS)
			continue;
		at[places.nr] = a->file->at[i];
		cookies[places.nr++] = a->file->first + i;
	}
	return bpf_attach_probes(a->loaded, program, &places);
}

static struct strobe_error *attach_exits(const struct attaching *a, const char *program)
{
	struct bpf_probe_places places = a->places;
	places.at = a->file->exits;
	places.cookies = a->file->exit_cookies;
	places.nr = a->file->exits_nr;
	return bpf_attach_probes(a->loaded, program, &places);
}

static struct strobe_error *attach_file(const struct trace_targets *t, const struct trace_func_file *file,
					const struct trace_func_programs *p, struct bpf_loaded *b)
{
	process_list processes = {};
	choose_processes(t, file, &processes);
	const struct attaching a = {
		.funcs = t->funcs,
		.file = file,
		.places = { .path = file->path, .processes = processes.data, .processes_nr = processes.len },
		.loaded = b,
	};
	struct strobe_error *err = attach_functions(&a, file->path ? p->leave : p->kernel_leave, true);
	if (!err && file->exits_nr)
		err = attach_exits(&a, p->exit);
	if (!err)
		err = attach_functions(&a, file->path ? p->enter : p->kernel_enter, false);
	vec_deinit(&processes);
	return err;
}

struct strobe_error *trace_funcs_attach(const struct trace_targets *t, const struct trace_func_programs *p, struct bpf_loaded *b)
{
	for (size_t i = 0; t->funcs && i < t->funcs->files_nr; i++)
		TRY(attach_file(t, &t->funcs->files[i], p, b));
	return NULL;
}
