#include "bpf/load/programs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/vector.h"
#include "bpf/load/kernel.h"
#include "config.h"
#include "sys/tracefs.h"

const char *bpf_image_missing(void)
{
#if HAVE_BPF_PROGRAMS
	return NULL;
#else
	return BPF_PROGRAMS_MISSING;
#endif
}

struct memory {
	void *at;
	size_t bytes;
};

/* The verifier needs a millisecond or more for a program of this many instructions: such programs are loaded in threads of their own. */
#define LONG_CODE 500

/* The kernel needs 0.2 ms or more to allocate such a map: a second thread makes a part of the maps where there is one. */
#define LARGE_MAP (1u << 20)

/* A program that is being loaded. */
struct loader {
	const struct bpf_loaded *loaded;
	uint32_t program;
	int fd;
	struct strobe_error *err;
	pthread_t thread;
};

struct bpf_loaded {
	const struct sys *sys;
	const struct bpf_image *image;
	const char *const *later;
	int types_fd;
	int *maps, *programs; /* descriptors; -1: none */
	const char *given;    /* the map whose descriptor is borrowed; NULL: none */
	VEC(struct loader *) loaders;
	bpf_links links, probes;
	VEC(struct memory) memory;
};

/* How programs of probes will be attached; they must be loaded for that. */
static uint32_t attach_type_of(const struct bpf_loaded *b, const struct bpf_image_program *p)
{
	return p->type == BPF_PROG_TYPE_KPROBE ? bpf_probe_attach_type(b->sys, p) : 0;
}

static bool is_listed(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

/* The thread blocks all signals, so that the existing threads receive them. */
static int start_thread(pthread_t *thread, void *(*fn)(void *), void *ctx)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int e = pthread_create(thread, NULL, fn, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return e;
}

/* ---- maps ---- */

static const struct bpf_map_size *size_of(const struct bpf_load_options *o, const char *name)
{
	const struct bpf_map_size *s = o->sizes;
	while (s && s->name && strcmp(s->name, name) != 0)
		s++;
	return s && s->name ? s : NULL;
}

static struct bpf_map_shape shape_of(const struct bpf_load_options *o, uint32_t map)
{
	struct bpf_map_shape shape = o->image->maps[map].shape;
	const struct bpf_map_size *size = size_of(o, o->image->maps[map].name);
	if (size) {
		shape.entries = size->entries;
		shape.value_bytes = size->value_bytes ? size->value_bytes : shape.value_bytes;
	}
	return shape;
}

/* The verifier treats the settings as constants once the map is frozen. */
static struct strobe_error *fill_settings(const struct bpf_load_options *o, const struct bpf_image_map *m, int fd)
{
	uint32_t zero = 0;
	if (m->shape.value_bytes != o->settings_bytes)
		return error_create(ERROR_OTHER, "the settings of the BPF programs '%s' have %u bytes, not %zu", o->image->name,
				    m->shape.value_bytes, o->settings_bytes);
	TRY(bpf_map_set(fd, &zero, o->settings));
	return bpf_map_freeze(o->sys, fd);
}

/* One of the first n maps that has this shape, as a template for the maps in a map; -1: none. */
static int find_alike(const struct bpf_loaded *b, const struct bpf_map_shape *shape, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!memcmp(&b->image->maps[i].shape, shape, sizeof(*shape)))
			return b->maps[i];
	return -1;
}

static struct strobe_error *make_map(struct bpf_loaded *b, const struct bpf_load_options *o, uint32_t i)
{
	const struct bpf_image_map *m = &o->image->maps[i];
	_cleanup_close_ int inner_fd = -1;
	if (b->given && !strcmp(b->given, m->name)) {
		b->maps[i] = o->given.fd;
		return NULL;
	}
	struct bpf_map_types types = { b->types_fd, m->key_type, m->value_type, m->inner ? find_alike(b, m->inner, i) : -1 };
	if (m->inner && types.inner_fd < 0) {
		TRY(bpf_map_make(o->sys, m->name, *m->inner, &inner_fd));
		types.inner_fd = inner_fd;
	}
	TRY(bpf_map_make_typed(o->sys, m->name, shape_of(o, i), &types, &b->maps[i]));
	return strcmp(m->name, ".rodata") ? NULL : fill_settings(o, m, b->maps[i]);
}

static bool has_large_map(const struct bpf_load_options *o)
{
	for (uint32_t i = 0; i < o->image->maps_nr; i++) {
		struct bpf_map_shape shape = shape_of(o, i);
		if ((uint64_t)shape.entries * (shape.type == BPF_MAP_TYPE_RINGBUF ? 1 : shape.value_bytes) >= LARGE_MAP)
			return true;
	}
	return false;
}

/* Maps that two threads make, each the next one. */
struct map_makers {
	struct bpf_loaded *loaded;
	const struct bpf_load_options *options;
	uint32_t next;
	struct strobe_error *err; /* of the second thread */
};

static struct strobe_error *make_next_maps(struct map_makers *m)
{
	const struct bpf_image *image = m->options->image;
	for (uint32_t i; (i = __atomic_fetch_add(&m->next, 1, __ATOMIC_RELAXED)) < image->maps_nr;)
		if (!image->maps[i].inner)
			TRY(make_map(m->loaded, m->options, i));
	return NULL;
}

static void *make_maps_aside(void *ctx)
{
	struct map_makers *m = ctx;
	m->err = make_next_maps(m);
	return NULL;
}

/* Maps of maps come last: another map may be their template. */
static struct strobe_error *make_maps(struct bpf_loaded *b, const struct bpf_load_options *o)
{
	struct map_makers m = { .loaded = b, .options = o };
	pthread_t thread;
	bool aside = has_large_map(o) && !start_thread(&thread, make_maps_aside, &m);
	struct strobe_error *err = make_next_maps(&m);
	if (aside)
		pthread_join(thread, NULL);
	err = error_first(err, m.err);
	for (uint32_t i = 0; i < o->image->maps_nr && !err; i++)
		if (o->image->maps[i].inner)
			err = make_map(b, o, i);
	return err;
}

/* ---- loading ---- */

static void *load_aside(void *ctx)
{
	struct loader *l = ctx;
	const struct bpf_loaded *b = l->loaded;
	const struct bpf_image_program *p = &b->image->programs[l->program];
	l->err = bpf_image_program_load(b->sys, p, attach_type_of(b, p), b->types_fd, b->maps, &l->fd);
	return NULL;
}

static struct strobe_error *load_program(struct bpf_loaded *b, uint32_t i)
{
	const struct bpf_image_program *p = &b->image->programs[i];
	if (p->code_nr >= LONG_CODE) {
		struct loader *l = xcalloc(1, sizeof(*l));
		*l = (struct loader){ .loaded = b, .program = i, .fd = -1 };
		if (!start_thread(&l->thread, load_aside, l)) {
			vec_push(&b->loaders, l);
			return NULL;
		}
		free(l);
	}
	return bpf_image_program_load(b->sys, p, attach_type_of(b, p), b->types_fd, b->maps, &b->programs[i]);
}

struct strobe_error *bpf_ready(struct bpf_loaded *b)
{
	struct strobe_error *err = NULL;
	for (size_t i = 0; i < b->loaders.len; i++) {
		struct loader *l = b->loaders.data[i];
		pthread_join(l->thread, NULL);
		b->programs[l->program] = l->fd;
		if (err)
			error_destroy(l->err);
		else
			err = l->err;
		free(l);
	}
	vec_clear(&b->loaders);
	return err;
}

static struct strobe_error *load(struct bpf_loaded *b, const struct bpf_load_options *o)
{
	TRY(bpf_check_kernel(o->sys));
	TRY(bpf_types_load(o->sys, o->image->types, o->image->types_bytes, &b->types_fd));
	TRY(make_maps(b, o));
	/* The long ones first, which load in their own threads. */
	for (int turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < o->image->programs_nr; i++)
			if ((o->image->programs[i].code_nr < LONG_CODE) == turn && !is_listed(o->without, o->image->programs[i].name))
				TRY(load_program(b, i));
	return NULL;
}

static int *no_fds(uint32_t n)
{
	int *fds = xcalloc(n + 1, sizeof(*fds));
	for (uint32_t i = 0; i < n; i++)
		fds[i] = -1;
	return fds;
}

struct strobe_error *bpf_load(const struct bpf_load_options *o, struct bpf_loaded **ret)
{
	if (bpf_image_missing())
		return error_create(ERROR_UNSUPPORTED, "%s", bpf_image_missing());
	struct bpf_loaded *b = xcalloc(1, sizeof(*b));
	b->sys = o->sys;
	b->image = o->image;
	b->later = o->later;
	b->given = o->given.name;
	b->types_fd = -1;
	b->maps = no_fds(o->image->maps_nr);
	b->programs = no_fds(o->image->programs_nr);
	struct strobe_error *err = load(b, o);
	if (err) {
		bpf_unload(b);
		return err;
	}
	*ret = b;
	return NULL;
}

void bpf_unload(struct bpf_loaded *b)
{
	if (!b)
		return;
	error_destroy(bpf_ready(b));
	vec_deinit(&b->loaders);
	bpf_detach(b);
	vec_deinit(&b->links);
	vec_deinit(&b->probes);
	for (size_t i = 0; i < b->memory.len; i++)
		munmap(b->memory.data[i].at, b->memory.data[i].bytes);
	vec_deinit(&b->memory);
	for (uint32_t i = 0; i < b->image->programs_nr; i++)
		cleanup_closep(&b->programs[i]);
	for (uint32_t i = 0; i < b->image->maps_nr; i++)
		if (!b->given || strcmp(b->given, b->image->maps[i].name) != 0)
			cleanup_closep(&b->maps[i]);
	cleanup_closep(&b->types_fd);
	free(b->maps);
	free(b->programs);
	free(b);
}

/* ---- attaching ---- */

static bool is_of_tracepoint(const struct bpf_image_program *p)
{
	return *p->tracepoint && p->type != BPF_PROG_TYPE_KPROBE;
}

/* Waits only for a program that is still loading: shorter ones before it are attached meanwhile. */
static struct strobe_error *attach(struct bpf_loaded *b, uint32_t i, const char *tracepoint)
{
	int link;
	if (b->programs[i] < 0)
		TRY(bpf_ready(b));
	TRY(bpf_attach_raw_tracepoint(b->sys, tracepoint, b->programs[i], &link));
	vec_push(&b->links, link);
	return NULL;
}

/* Has been loaded, or is loading. */
static bool is_there(const struct bpf_loaded *b, uint32_t program)
{
	bool there = b->programs[program] >= 0;
	for (size_t i = 0; i < b->loaders.len; i++)
		there |= b->loaders.data[i]->program == program;
	return there;
}

struct strobe_error *bpf_attach(struct bpf_loaded *b)
{
	const struct bpf_image_program *p = b->image->programs;
	for (uint32_t i = 0; i < b->image->programs_nr; i++)
		if (is_there(b, i) && is_of_tracepoint(&p[i]) && !is_listed(b->later, p[i].name))
			TRY(attach(b, i, p[i].tracepoint));
	return NULL;
}

/* Its index in the image, or the number of programs. */
static uint32_t find_program(const struct bpf_loaded *b, const char *name)
{
	uint32_t i = 0;
	while (i < b->image->programs_nr && strcmp(b->image->programs[i].name, name) != 0)
		i++;
	return i;
}

int bpf_program_of(const struct bpf_loaded *b, const char *name)
{
	uint32_t i = find_program(b, name);
	return i < b->image->programs_nr ? b->programs[i] : -1;
}

struct strobe_error *bpf_load_program(struct bpf_loaded *b, const char *name)
{
	uint32_t i = find_program(b, name);
	if (i == b->image->programs_nr)
		return error_create(ERROR_UNSUPPORTED, "this build has no BPF program '%s'", name);
	const struct bpf_image_program *p = &b->image->programs[i];
	return bpf_image_program_load(b->sys, p, attach_type_of(b, p), b->types_fd, b->maps, &b->programs[i]);
}

struct strobe_error *bpf_attach_program(struct bpf_loaded *b, const char *program)
{
	uint32_t i = find_program(b, program);
	return attach(b, i, b->image->programs[i].tracepoint);
}

struct strobe_error *bpf_attach_raw(struct bpf_loaded *b, const char *program, const char *tracepoint)
{
	return attach(b, find_program(b, program), tracepoint);
}

struct strobe_error *bpf_attach_tracepoint(struct bpf_loaded *b, const char *program, const char *category,
					   const char *tracepoint)
{
	_cleanup_free_ char *tracefs = NULL;
	int64_t id;
	int link;
	TRY(bpf_ready(b));
	TRY(sys_tracefs(b->sys, &tracefs));
	_cleanup_free_ char *path = xasprintf("%s/events/%s/%s/id", tracefs, category, tracepoint);
	TRY(sys_read_i64(b->sys, path, &id));
	TRY(bpf_attach_perf_tracepoint(b->sys, (uint64_t)id, bpf_program_of(b, program), &link));
	vec_push(&b->links, link);
	return NULL;
}

struct strobe_error *bpf_attach_probes(struct bpf_loaded *b, const char *program, const struct bpf_probe_places *places)
{
	TRY(bpf_ready(b));
	uint32_t i = find_program(b, program);
	return bpf_probes_attach(b->sys, b->programs[i], attach_type_of(b, &b->image->programs[i]), places, &b->probes);
}

void bpf_detach_probes(struct bpf_loaded *b)
{
	for (size_t i = 0; i < b->probes.len; i++)
		close(b->probes.data[i]);
	vec_clear(&b->probes);
}

void bpf_detach(struct bpf_loaded *b)
{
	bpf_detach_probes(b);
	for (size_t i = 0; i < b->links.len; i++)
		close(b->links.data[i]);
	vec_clear(&b->links);
}

size_t bpf_link_fds(const struct bpf_loaded *b, int *ret, size_t max)
{
	size_t n = b->links.len < max ? b->links.len : max;
	for (size_t i = 0; i < n; i++)
		ret[i] = b->links.data[i];
	return n;
}

/* ---- what is loaded ---- */

int bpf_map_of(const struct bpf_loaded *b, const char *name)
{
	for (uint32_t i = 0; i < b->image->maps_nr; i++)
		if (!strcmp(b->image->maps[i].name, name))
			return b->maps[i];
	return -1;
}

struct strobe_error *bpf_map_memory(struct bpf_loaded *b, const char *name, size_t bytes, void **ret)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map_of(b, name), 0);
	if (p == MAP_FAILED)
		return error_errno(errno, "cannot map the BPF map '%s'", name);
	vec_push(&b->memory, ((struct memory){ p, bytes }));
	*ret = p;
	return NULL;
}

uint64_t bpf_runs_missed(const struct bpf_loaded *b)
{
	uint64_t missed = 0;
	for (uint32_t i = 0; i < b->image->programs_nr; i++)
		if (b->programs[i] >= 0)
			missed += bpf_program_missed(b->programs[i]);
	return missed;
}
