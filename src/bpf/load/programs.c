#include "bpf/load/programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/library.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/vector.h"
#include "bpf/load/btf_cut.h"
#include "bpf/load/kernel.h"
#include "config.h"

const char *bpf_image_missing(void)
{
#if HAVE_BPF_PROGRAMS
	return NULL;
#else
	return BPF_PROGRAMS_MISSING;
#endif
}

#if HAVE_BPF_PROGRAMS
#include <bpf/libbpf.h>

struct calls {
	struct bpf_object *(*open_mem)(const void *bytes, size_t size, const struct bpf_object_open_opts *opts);
	int (*load)(struct bpf_object *object);
	struct btf *(*types)(const struct bpf_object *object);
	const void *(*types_bytes)(const struct btf *btf, uint32_t *size);
	void (*close)(struct bpf_object *object);
	struct bpf_map *(*next_map)(const struct bpf_object *object, const struct bpf_map *map);
	struct bpf_program *(*next_program)(const struct bpf_object *object, struct bpf_program *program);
	const char *(*map_name)(const struct bpf_map *map);
	int (*map_fd)(const struct bpf_map *map);
	int (*set_max_entries)(struct bpf_map *map, uint32_t entries);
	int (*set_value_size)(struct bpf_map *map, uint32_t bytes);
	int (*reuse_fd)(struct bpf_map *map, int fd);
	int (*set_initial_value)(struct bpf_map *map, const void *data, size_t bytes);
	const char *(*program_name)(const struct bpf_program *program);
	int (*set_autoload)(struct bpf_program *program, bool on);
	bool (*autoload)(const struct bpf_program *program);
	int (*program_fd)(const struct bpf_program *program);
	struct bpf_link *(*attach)(const struct bpf_program *program);
	struct bpf_link *(*attach_tracepoint)(const struct bpf_program *program, const char *category, const char *name);
	int (*link_fd)(const struct bpf_link *link);
	int (*destroy_link)(struct bpf_link *link);
	libbpf_print_fn_t (*set_print)(libbpf_print_fn_t fn);
};

struct memory {
	void *at;
	size_t bytes;
};

struct bpf_loaded {
	struct calls lib;
	const struct sys *sys;
	struct bpf_object *object;
	int types_fd; /* what libbpf takes for the kernel's types, until all is loaded */
	const char *const *later;
	VEC(struct bpf_link *) links;
	VEC(struct memory) memory;
};

static int log_message(enum libbpf_print_level level, const char *fmt, va_list args)
{
	if (!log_enabled(LOG_DEBUG))
		return 0;
	char *line = xvasprintf(fmt, args);
	size_t n = strlen(line);
	while (n && line[n - 1] == '\n')
		line[--n] = '\0';
	log_debug("%s", line);
	free(line);
	return 0;
}

static const struct library library = {
	.files = { "libbpf.so.1" },
	.missing = "BPF programs want libbpf.so.1, which is not installed (package libbpf1)",
};

static struct strobe_error *open_library(struct calls *ret)
{
	const struct library_symbol symbols[] = {
		{ &ret->open_mem, "bpf_object__open_mem" },
		{ &ret->load, "bpf_object__load" },
		{ &ret->types, "bpf_object__btf" },
		{ &ret->types_bytes, "btf__raw_data" },
		{ &ret->close, "bpf_object__close" },
		{ &ret->next_map, "bpf_object__next_map" },
		{ &ret->next_program, "bpf_object__next_program" },
		{ &ret->map_name, "bpf_map__name" },
		{ &ret->map_fd, "bpf_map__fd" },
		{ &ret->set_max_entries, "bpf_map__set_max_entries" },
		{ &ret->set_value_size, "bpf_map__set_value_size" },
		{ &ret->reuse_fd, "bpf_map__reuse_fd" },
		{ &ret->set_initial_value, "bpf_map__set_initial_value" },
		{ &ret->program_name, "bpf_program__name" },
		{ &ret->set_autoload, "bpf_program__set_autoload" },
		{ &ret->autoload, "bpf_program__autoload" },
		{ &ret->program_fd, "bpf_program__fd" },
		{ &ret->attach, "bpf_program__attach" },
		{ &ret->attach_tracepoint, "bpf_program__attach_tracepoint" },
		{ &ret->link_fd, "bpf_link__fd" },
		{ &ret->destroy_link, "bpf_link__destroy" },
		{ &ret->set_print, "libbpf_set_print" },
	};
	TRY(library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols)));
	ret->set_print(log_message);
	return NULL;
}

/* Maps of sections are named after the object: "trace_su.bss". */
static struct bpf_map *find_map(const struct bpf_loaded *b, const char *name)
{
	struct bpf_map *map = NULL;
	while ((map = b->lib.next_map(b->object, map))) {
		const char *full = b->lib.map_name(map);
		if (*name == '.' ? text_has_suffix(full, name) : strcmp(full, name) == 0)
			return map;
	}
	return NULL;
}

static bool is_listed(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

static struct strobe_error *open_object(struct bpf_loaded *b, const struct bpf_load_options *o, const char *types_path)
{
	struct bpf_object_open_opts opts = { .sz = sizeof(opts), .object_name = o->image.name, .btf_custom_path = types_path };
	/* Statistics of the verifier. */
	opts.kernel_log_level = log_enabled(LOG_DEBUG) ? 4 : 0;
	b->object = b->lib.open_mem(o->image.bytes, o->image.size, &opts);
	return b->object ? NULL : error_errno(errno, "libbpf cannot read the programs '%s'", o->image.name);
}

/* The types that the object looks at, for libbpf, which would read all of the kernel's. */
static struct strobe_error *write_types(struct bpf_loaded *b)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	uint32_t n = 0;
	struct btf *types = b->lib.types(b->object);
	const void *local = types ? b->lib.types_bytes(types, &n) : NULL;
	if (!local)
		return error_create(ERROR_FORMAT, "the programs bring no types");
	TRY(btf_cut_kernel(b->sys, local, n, &bytes));
	if (write(b->types_fd, bytes.data, bytes.len) != (ssize_t)bytes.len)
		return error_errno(errno, "cannot write to memory");
	return NULL;
}

static struct strobe_error *open_with_types(struct bpf_loaded *b, const struct bpf_load_options *o)
{
	char path[32];
	b->types_fd = memfd_create("types", MFD_CLOEXEC);
	if (b->types_fd < 0)
		return open_object(b, o, NULL);
	/* A name is told now, what it has later: the object's own types are known when it is open. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", b->types_fd);
	TRY(open_object(b, o, path));
	struct strobe_error *err = write_types(b);
	if (!err)
		return NULL;
	log_debug("libbpf reads all types of the kernel: %s", err->message);
	error_destroy(err);
	b->lib.close(b->object);
	return open_object(b, o, NULL);
}

static struct strobe_error *prepare(struct bpf_loaded *b, const struct bpf_load_options *o)
{
	TRY(open_with_types(b, o));
	struct bpf_map *settings = find_map(b, ".rodata");
	int r = settings ? b->lib.set_initial_value(settings, o->settings, o->settings_bytes) : -ENOENT;
	if (r)
		return error_errno(-r, "cannot set the settings of the programs '%s'", o->image.name);
	for (const struct bpf_map_size *s = o->sizes; s && s->name; s++) {
		struct bpf_map *map = find_map(b, s->name);
		if (map && (r = b->lib.set_max_entries(map, s->entries)))
			return error_errno(-r, "cannot set the size of the BPF map '%s'", s->name);
		if (map && s->value_bytes && (r = b->lib.set_value_size(map, s->value_bytes)))
			return error_errno(-r, "cannot set the size of values of the BPF map '%s'", s->name);
	}
	struct bpf_map *given = o->given.name ? find_map(b, o->given.name) : NULL;
	if (given && (r = b->lib.reuse_fd(given, o->given.fd)))
		return error_errno(-r, "cannot share the BPF map '%s'", o->given.name);
	struct bpf_program *program = NULL;
	while ((program = b->lib.next_program(b->object, program)))
		if (is_listed(o->without, b->lib.program_name(program)))
			b->lib.set_autoload(program, false);
	return NULL;
}

struct strobe_error *bpf_load(const struct bpf_load_options *o, struct bpf_loaded **ret)
{
	struct bpf_loaded *b = xcalloc(1, sizeof(*b));
	b->sys = o->sys;
	b->later = o->later;
	b->types_fd = -1;
	struct strobe_error *err = open_library(&b->lib);
	if (!err)
		err = prepare(b, o);
	if (!err) {
		int r = b->lib.load(b->object);
		if (r)
			err = bpf_refused(o->sys, -r, "cannot load BPF programs");
	}
	if (b->types_fd >= 0)
		close(b->types_fd);
	if (err) {
		bpf_unload(b);
		return err;
	}
	*ret = b;
	return NULL;
}

static struct strobe_error *keep_link(struct bpf_loaded *b, struct bpf_link *link)
{
	if (!link)
		return bpf_refused(b->sys, errno, "cannot attach a BPF program");
	vec_push(&b->links, link);
	return NULL;
}

struct strobe_error *bpf_attach(struct bpf_loaded *b)
{
	struct bpf_program *program = NULL;
	while ((program = b->lib.next_program(b->object, program)))
		if (b->lib.autoload(program) && !is_listed(b->later, b->lib.program_name(program)))
			TRY(keep_link(b, b->lib.attach(program)));
	return NULL;
}

static struct bpf_program *find_program(const struct bpf_loaded *b, const char *name)
{
	struct bpf_program *program = NULL;
	while ((program = b->lib.next_program(b->object, program)))
		if (!strcmp(b->lib.program_name(program), name))
			break;
	return program;
}

struct strobe_error *bpf_attach_program(struct bpf_loaded *b, const char *program)
{
	return keep_link(b, b->lib.attach(find_program(b, program)));
}

struct strobe_error *bpf_attach_tracepoint(struct bpf_loaded *b, const char *program, const char *category,
					   const char *tracepoint)
{
	return keep_link(b, b->lib.attach_tracepoint(find_program(b, program), category, tracepoint));
}

void bpf_detach(struct bpf_loaded *b)
{
	for (size_t i = 0; i < b->links.len; i++)
		b->lib.destroy_link(b->links.data[i]);
	vec_clear(&b->links);
}

size_t bpf_link_fds(const struct bpf_loaded *b, int *ret, size_t max)
{
	size_t n = b->links.len < max ? b->links.len : max;
	for (size_t i = 0; i < n; i++)
		ret[i] = b->lib.link_fd(b->links.data[i]);
	return n;
}

void bpf_unload(struct bpf_loaded *b)
{
	if (!b)
		return;
	bpf_detach(b);
	vec_deinit(&b->links);
	for (size_t i = 0; i < b->memory.len; i++)
		munmap(b->memory.data[i].at, b->memory.data[i].bytes);
	vec_deinit(&b->memory);
	if (b->object)
		b->lib.close(b->object);
	free(b);
}

int bpf_map_of(const struct bpf_loaded *b, const char *name)
{
	struct bpf_map *map = find_map(b, name);
	return map ? b->lib.map_fd(map) : -1;
}

int bpf_program_of(const struct bpf_loaded *b, const char *name)
{
	struct bpf_program *program = find_program(b, name);
	return program ? b->lib.program_fd(program) : -1;
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
	struct bpf_program *program = NULL;
	uint64_t missed = 0;
	while ((program = b->lib.next_program(b->object, program)))
		if (b->lib.autoload(program))
			missed += bpf_program_missed(b->lib.program_fd(program));
	return missed;
}

#else

struct bpf_loaded {
	int unused;
};

struct strobe_error *bpf_load(const struct bpf_load_options *o, struct bpf_loaded **ret)
{
	return error_create(ERROR_UNSUPPORTED, "%s", BPF_PROGRAMS_MISSING);
}

struct strobe_error *bpf_attach(struct bpf_loaded *b)
{
	return error_create(ERROR_UNSUPPORTED, "%s", BPF_PROGRAMS_MISSING);
}

struct strobe_error *bpf_attach_program(struct bpf_loaded *b, const char *program)
{
	return error_create(ERROR_UNSUPPORTED, "%s", BPF_PROGRAMS_MISSING);
}

struct strobe_error *bpf_attach_tracepoint(struct bpf_loaded *b, const char *program, const char *category,
					   const char *tracepoint)
{
	return error_create(ERROR_UNSUPPORTED, "%s", BPF_PROGRAMS_MISSING);
}

void bpf_detach(struct bpf_loaded *b)
{
}

size_t bpf_link_fds(const struct bpf_loaded *b, int *ret, size_t max)
{
	return 0;
}

void bpf_unload(struct bpf_loaded *b)
{
}

int bpf_map_of(const struct bpf_loaded *b, const char *name)
{
	return -1;
}

int bpf_program_of(const struct bpf_loaded *b, const char *name)
{
	return -1;
}

struct strobe_error *bpf_map_memory(struct bpf_loaded *b, const char *name, size_t bytes, void **ret)
{
	return error_create(ERROR_UNSUPPORTED, "%s", BPF_PROGRAMS_MISSING);
}

uint64_t bpf_runs_missed(const struct bpf_loaded *b)
{
	return 0;
}
#endif
