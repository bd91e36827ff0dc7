#include "symbol/symbol.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/brief_lock.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "object/buildid_cache.h"
#include "symbol/kcore.h"
#include "symbol/symbol_priv.h"

struct symbols *symbols_create(const struct env *env, struct symbols_options options)
{
	struct symbols *s = xcalloc(1, sizeof(*s));
	s->env = env;
	s->options = options;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

static void dso_destroy(struct dso *d)
{
	if (!d)
		return;
	dso_slots_destroy(atomic_load(&d->slots));
	dso_functions_destroy(atomic_load(&d->functions));
	dso_scripts_destroy(d->scripts);
	dso_source_destroy(atomic_load_explicit(&d->source_lines, memory_order_relaxed));
	symtable_deinit(&d->table);
	jitdump_close(d->jitdump);
	object_close(d->object);
	object_close(d->symbols_object);
	free(d->own_names);
	free(d->made);
	vec_deinit(&d->ranges);
	vec_deinit(&d->tries);
	arena_deinit(&d->arena);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

void symbols_destroy(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->dsos.len; i++)
		dso_destroy(s->dsos.data[i]);
	vec_deinit(&s->dsos);
	kallsyms_deinit(&s->kallsyms);
	free(s->kallsyms_path);
	free(s->kcore_copy);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

struct dso *symbols_dso(struct symbols *s, const struct mapped_file *file)
{
	pthread_mutex_lock(&s->lock);
	while (s->dsos.len <= file->id)
		vec_push(&s->dsos, NULL);
	struct dso *d = s->dsos.data[file->id];
	if (!d) {
		d = xcalloc(1, sizeof(*d));
		d->session = s;
		d->file = file;
		arena_init(&d->arena);
		brief_lock_init(&d->lock);
		s->dsos.data[file->id] = d;
	}
	pthread_mutex_unlock(&s->lock);
	return d;
}

struct object *symbols_open_object(struct symbols *s, const char *hex)
{
	struct object *found = NULL;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < s->dsos.len && !found; i++) {
		const struct dso *d = s->dsos.data[i];
		char its[BUILDID_HEX_MAX];
		if (!d || atomic_load_explicit(&d->settled, memory_order_acquire) != DSO_SETTLED || !d->object)
			continue;
		buildid_hex(d->file->build_id, d->file->build_id_len, its);
		found = strcmp(hex, its) ? NULL : d->object;
	}
	pthread_mutex_unlock(&s->lock);
	return found;
}

void symbols_each_dso(struct symbols *s, void (*fn)(void *ctx, struct dso *d), void *ctx)
{
	for (size_t i = 0; i < s->dsos.len; i++)
		if (s->dsos.data[i])
			fn(ctx, s->dsos.data[i]);
}

uint64_t symbols_held(const struct symbols *s)
{
	uint64_t n = 0;
	for (size_t i = 0; i < s->dsos.len; i++)
		n += s->dsos.data[i] ? s->dsos.data[i]->table.entries_nr : 0;
	return n;
}

/* The build ID of the kernel in the recording; 0: none. */
static size_t kernel_build_id(const struct dso *d, const uint8_t **ret)
{
	const struct env *env = d->session->env;
	if (d->file->kind == MAPPED_KERNEL && d->file->build_id_len) {
		*ret = d->file->build_id;
		return d->file->build_id_len;
	}
	for (size_t i = 0; env && i < env->build_ids.len; i++) {
		const struct env_build_id *b = &env->build_ids.data[i];
		if (!strcmp(b->filename, "[kernel.kallsyms]")) {
			*ret = b->build_id;
			return b->build_id_len;
		}
	}
	return 0;
}

/* The recorded address of the kernel; 0: unknown. Under s->lock. */
static uint64_t kernel_base(const struct symbols *s)
{
	for (size_t i = 0; i < s->dsos.len; i++) {
		const struct dso *d = s->dsos.data[i];
		if (d && d->file->kind == MAPPED_KERNEL)
			return atomic_load(&d->recorded_base);
	}
	return 0;
}

static bool is_running(const uint8_t *id, size_t n)
{
	uint8_t running[OBJECT_BUILD_ID_MAX];
	return object_build_id_of_notes(KERNEL_NOTES, running) >= n && !memcmp(running, id, n);
}

/*
 * Looks up the recorded kernel in the build ID cache: a copy of its code, used if /proc/kcore is not, and its list, if it is not
 * running.
 */
static void find_cached(struct symbols *s, const struct dso *d)
{
	const char *dir = s->options.buildid_dir;
	const uint8_t *id = NULL;
	char hex[BUILDID_HEX_MAX];
	size_t n = dir ? kernel_build_id(d, &id) : 0;
	if (!n)
		return;
	buildid_hex(id, n, hex);
	s->kcore_copy = kcore_cache_find(dir, hex, kernel_base(s));
	if (is_running(id, n))
		return;
	s->kallsyms_path = buildid_cache_path(dir, hex, "kallsyms");
	if (s->kallsyms_path && access(s->kallsyms_path, R_OK))
		free(take_ptr(s->kallsyms_path));
	if (!s->kallsyms_path && s->kcore_copy)
		s->kallsyms_path = xasprintf("%s/kallsyms", s->kcore_copy);
}

const char *symbols_recorded_kernel(const struct symbols *s)
{
	return s->env && !s->options.kallsyms && !s->options.vmlinux ? s->env->file.kcore_dir : NULL;
}

const struct kallsyms *symbols_kallsyms(struct dso *d, const char **ret_problem)
{
	struct symbols *s = d->session;
	pthread_mutex_lock(&s->lock);
	if (!s->kallsyms_tried) {
		s->kallsyms_tried = true;
		const char *recorded = symbols_recorded_kernel(s);
		if (recorded) {
			s->kcore_copy = xstrdup(recorded);
			s->kallsyms_path = xasprintf("%s/kallsyms", recorded);
		} else if (!s->options.kallsyms) {
			find_cached(s, d);
		}
		kallsyms_load(&s->kallsyms, s->kallsyms_path ? s->kallsyms_path : s->options.kallsyms);
	}
	pthread_mutex_unlock(&s->lock);
	*ret_problem = s->kallsyms.problem;
	return s->kallsyms.list.count ? &s->kallsyms : NULL;
}
