#include "probing/probing.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "probing/priv.h"

void probing_init(struct probing *p, const struct probing_settings *settings)
{
	*p = (struct probing){ .settings = settings };
	arena_init(&p->arena);
}

static void close_target(struct probing *p)
{
	if (p->has_target)
		probe_target_close(&p->target);
	p->has_target = false;
}

void probing_deinit(struct probing *p)
{
	close_target(p);
	arena_deinit(&p->arena);
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

struct strobe_error *probing_open(struct probing *p, const struct probing_request *of)
{
	const struct probing_settings *s = p->settings;
	if (p->has_target && is_same(p->of.exec, of->exec) && is_same(p->of.module, of->module))
		return NULL;
	close_target(p);
	if (s->files.vmlinux && access(s->files.vmlinux, R_OK))
		return error_errno(errno, "cannot read the kernel image '%s'", s->files.vmlinux);
	TRY(of->exec ? probe_target_program(of->exec, &s->files, &p->target) :
		       probe_target_kernel(s->sys, of->module, &s->files, &p->target));
	p->has_target = true;
	p->of = *of;
	return NULL;
}

struct strobe_error *probing_filter(struct probing *p, const char *const *patterns, size_t n, const struct probe_filter **ret)
{
	*ret = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct probe_filter *one;
		TRY(probe_filter_parse(patterns[i], &p->arena, &one));
		*ret = probe_filter_or(*ret, one, &p->arena);
	}
	return NULL;
}

void probing_remarks(const struct probing *p, const struct probe_events *events)
{
	const struct session_host *host = p->settings->host;
	for (size_t i = 0; i < events->list.len && !p->settings->quiet; i++) {
		const struct probe_event *e = &events->list.data[i];
		if (e->resolver)
			session_say(host,
				    "%s is a GNU indirect function, called once to select the implementation: probe that one "
				    "to see calls", e->resolver);
		if (e->is_after_prologue)
			session_say(host,
				    "%s is compiled without optimization: the probe is after its prologue, which stores the "
				    "variables", e->place);
	}
}
