#include "symbol/symbol.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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
	dso_source_destroy(atomic_load_explicit(&d->source_lines, memory_order_relaxed));
	symtable_deinit(&d->table);
	object_close(d->object);
	object_close(d->symbols_object);
	free(d->own_names);
	free(d->made);
	vec_deinit(&d->ranges);
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
		pthread_mutex_init(&d->lock, NULL);
		s->dsos.data[file->id] = d;
	}
	pthread_mutex_unlock(&s->lock);
	return d;
}

const struct kallsyms *symbols_kallsyms(struct symbols *s, const char **ret_problem)
{
	pthread_mutex_lock(&s->lock);
	if (!s->kallsyms_tried) {
		s->kallsyms_tried = true;
		kallsyms_load(&s->kallsyms, s->options.kallsyms);
	}
	pthread_mutex_unlock(&s->lock);
	*ret_problem = s->kallsyms.problem;
	return s->kallsyms.list.count ? &s->kallsyms : NULL;
}
