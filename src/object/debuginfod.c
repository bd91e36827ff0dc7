#include "object/debuginfod.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/text.h"
#include "base/vector.h"
#include "net/fetch.h"
#include "object/buildid_cache.h"
#include "object/object.h"

#define STALL_S		5
#define MISS_S		600 /* lifetime of a cached miss */
#define URLS_MAX	16
#define MOST_BYTES	((size_t)4 << 30)

struct server {
	char *url;
	bool is_silent; /* did not answer: not tried again */
};

struct debuginfod {
	pthread_mutex_t lock; /* of is_silent */
	VEC(struct server) servers;
	char *cache_dir;
	double stall_s, most_s;
	size_t most_bytes;
};

/* As debuginfod_find_build_id(3) has it. */
static char *usual_cache_dir(void)
{
	const char *set = getenv("DEBUGINFOD_CACHE_PATH"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	struct stat st;
	if (set && *set)
		return xstrdup(set);
	if (home && *home) {
		char *old = xasprintf("%s/.debuginfod_client_cache", home);
		if (!stat(old, &st))
			return old;
		free(old);
	}
	if (xdg && *xdg)
		return xasprintf("%s/debuginfod_client", xdg);
	return home && *home ? xasprintf("%s/.cache/debuginfod_client", home) : NULL;
}

/* NULL: no servers configured. */
static struct debuginfod *debuginfod_create(struct debuginfod_options options)
{
	struct debuginfod *d = xcalloc(1, sizeof(*d));
	for (const char *at = options.urls ? options.urls : ""; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
		size_t n = strcspn(at, " ");
		/* "ima:enforcing" and the like may be between them: these are not URLs. */
		char *url = xstrndup(at, n);
		while (n && url[n - 1] == '/')
			url[--n] = 0;
		if (net_is_url(url) && d->servers.len < URLS_MAX)
			vec_push(&d->servers, ((struct server){ .url = url }));
		else
			free(url);
	}
	d->cache_dir = options.cache_dir ? xstrdup(options.cache_dir) : usual_cache_dir();
	d->stall_s = options.stall_s > 0 ? options.stall_s : STALL_S;
	d->most_s = options.most_s;
	d->most_bytes = options.most_bytes;
	pthread_mutex_init(&d->lock, NULL);
	if (d->servers.len && d->cache_dir)
		return d;
	debuginfod_destroy(d);
	return NULL;
}

/* 0: not set, or not a positive number. */
static double number_of(const char *variable)
{
	const char *text = getenv(variable);
	double v;
	return text && text_to_f64(text, &v) && v > 0 ? v : 0;
}

struct debuginfod *debuginfod_from_environment(const char *urls)
{
	double most_bytes = number_of("DEBUGINFOD_MAXSIZE");
	return debuginfod_create((struct debuginfod_options){
		.urls = urls ? urls : getenv("DEBUGINFOD_URLS"),
		.stall_s = number_of("DEBUGINFOD_TIMEOUT"),
		.most_s = number_of("DEBUGINFOD_MAXTIME"),
		.most_bytes = most_bytes < (double)MOST_BYTES ? (size_t)most_bytes : 0,
	});
}

void debuginfod_destroy(struct debuginfod *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->servers.len; i++)
		free(d->servers.data[i].url);
	vec_deinit(&d->servers);
	free(d->cache_dir);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

enum cached { CACHED_NOT, CACHED, CACHED_MISS };

static enum cached look(const char *path)
{
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return CACHED_NOT;
	if (st.st_size)
		return CACHED;
	if (st.st_mtime + MISS_S > time(NULL))
		return CACHED_MISS;
	unlink(path);
	return CACHED_NOT;
}

/* Stores a file atomically. An empty one is a cached miss. */
static struct strobe_error *keep(const char *path, const void *p, size_t n)
{
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	_cleanup_new_file_ struct new_file file = NEW_FILE_NONE;
	TRY(file_make_dirs(dir));
	TRY(new_file_create(path, &file));
	TRY(file_write_fd(file.fd, path, p, n));
	return new_file_keep(&file, 0400);
}

/* Otherwise a truncated file would be stored as a complete one. */
static bool is_whole(const struct object *o, size_t bytes)
{
	for (size_t i = 1; i < object_sections_count(o); i++) {
		const struct object_section *s = object_section(o, i);
		if (s->type != SHT_NOBITS && (s->offset > bytes || s->bytes > bytes - s->offset))
			return false;
	}
	return object_sections_count(o) > 1;
}

/* Servers are untrusted, like files. */
static bool is_of(const void *p, size_t n, const char *hex)
{
	struct object *o;
	uint8_t id[OBJECT_BUILD_ID_MAX];
	char its[BUILDID_HEX_MAX];
	_cleanup_error_ struct strobe_error *err = object_open_memory(p, n, "answer", &o);
	if (err)
		return false;
	buildid_hex(id, object_build_id(o, id), its);
	bool whole = is_whole(o, n);
	object_close(o);
	return whole && !strcmp(its, hex);
}

static bool is_silent(struct debuginfod *d, struct server *s)
{
	pthread_mutex_lock(&d->lock);
	bool silent = s->is_silent;
	pthread_mutex_unlock(&d->lock);
	return silent;
}

/* A server that is down, or sends other files, would do so for each of hundreds of files. */
static void give_up(struct debuginfod *d, struct server *s, const struct strobe_error *why)
{
	pthread_mutex_lock(&d->lock);
	s->is_silent = true;
	pthread_mutex_unlock(&d->lock);
	log_warn("%s: not used again", why->message);
}

/* ERROR_NOT_FOUND: it does not have the file. */
static struct strobe_error *fetch_from(struct debuginfod *d, struct server *s, const char *hex, const char *kind, const char *path)
{
	_cleanup_free_ char *url = xasprintf("%s/buildid/%s/%s", s->url, hex, kind);
	struct net_options options = { .stall_s = d->stall_s, .timeout_s = d->most_s, .most_bytes = d->most_bytes };
	struct net_body body;
	log_info("fetching %s", url);
	struct strobe_error *err = net_fetch(url, &options, &body);
	if (err && error_is(err, ERROR_NOT_FOUND))
		return err;
	if (!err && !is_of(body.data, body.bytes, hex))
		err = error_create(ERROR_FORMAT, "%s is not a complete file with this build ID", url);
	if (err)
		give_up(d, s, err);
	else
		err = keep(path, body.data, body.bytes);
	free(body.data);
	return err;
}

struct strobe_error *debuginfod_find(struct debuginfod *d, const char *hex, enum debuginfod_kind kind, char **ret)
{
	static const char *const kinds[] = { [DEBUGINFOD_EXECUTABLE] = "executable", [DEBUGINFOD_DEBUG] = "debuginfo" };
	if (strspn(hex, "0123456789abcdef") != strlen(hex) || strlen(hex) < 4)
		return error_create(ERROR_FORMAT, "'%s' is not a valid build ID", hex);
	_cleanup_free_ char *path = xasprintf("%s/%s/%s", d->cache_dir, hex, kinds[kind]);
	enum cached cached = look(path);
	bool all_answered = true;
	struct strobe_error *last = NULL;
	for (size_t i = 0; i < d->servers.len && cached == CACHED_NOT; i++) {
		struct server *s = &d->servers.data[i];
		if (is_silent(d, s)) {
			all_answered = false;
			continue;
		}
		error_destroy(last);
		last = fetch_from(d, s, hex, kinds[kind], path);
		all_answered &= !last || last->code == ERROR_NOT_FOUND;
		if (!last)
			cached = CACHED;
	}
	if (cached == CACHED) {
		*ret = take_ptr(path);
		error_destroy(last);
		return NULL;
	}
	if (cached == CACHED_NOT && all_answered)
		error_destroy(keep(path, NULL, 0));
	if (last && last->code != ERROR_NOT_FOUND)
		return last;
	error_destroy(last);
	return error_create(ERROR_NOT_FOUND, "not found on any debuginfod server");
}
