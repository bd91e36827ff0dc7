/* Copies of /proc/kcore in the build ID cache. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/vector.h"
#include "object/buildid_cache.h"
#include "object/object.h"
#include "symbol/kcore.h"

#define FOLDER	   "[kernel.kcore]"
#define PAGE_BYTES ((uint64_t)4096)

/* ---- where a kernel and its modules lie ---- */

struct module_place {
	char *name;
	struct kcore_range range;
};

struct layout {
	struct strbuf kallsyms, modules; /* as text */
	uint64_t text, stext, etext;
	VEC(struct module_place) places; /* by address */
};

static void layout_deinit(struct layout *l)
{
	for (size_t i = 0; i < l->places.len; i++)
		free(l->places.data[i].name);
	vec_deinit(&l->places);
	strbuf_deinit(&l->kallsyms);
	strbuf_deinit(&l->modules);
}

#define _cleanup_layout_ _cleanup_(layout_deinit)

/* "ffffffff81000000 T _stext\n"; 0: none. */
static uint64_t address_of(const struct strbuf *kallsyms, const char *name)
{
	size_t n = strlen(name);
	const char *all = strbuf_str(kallsyms);
	for (const char *at = all; (at = strstr(at, name)); at += n) {
		bool is_name = at > all && at[-1] == ' ' && (at[n] == '\n' || !at[n]);
		if (!is_name)
			continue;
		while (at > all && at[-1] != '\n')
			at--;
		return strtoull(at, NULL, 16);
	}
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct module_place *x = a, *y = b;
	return x->range.start < y->range.start ? -1 : x->range.start > y->range.start;
}

/* Lines of "name bytes uses users state 0xaddress". */
static void read_modules(struct layout *l)
{
	for (const char *line = strbuf_str(&l->modules), *next; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		unsigned long long bytes, at;
		int name_bytes = 0;
		if (sscanf(line, "%*s%n %llu %*s %*s %*s 0x%llx", &name_bytes, &bytes, &at) != 2 || !at || !bytes || at + bytes < at)
			continue;
		struct module_place m = { .name = xstrndup(line, (size_t)name_bytes), .range = { at, at + bytes } };
		vec_push(&l->places, m);
	}
	if (l->places.len)
		qsort(l->places.data, l->places.len, sizeof(*l->places.data), compare_places);
}

static struct strobe_error *read_beside(const char *dir, const char *name, struct strbuf *ret)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, name);
	return file_read(path, ret, 0);
}

static struct strobe_error *read_layout(const char *dir, struct layout *l)
{
	TRY(read_beside(dir, "kallsyms", &l->kallsyms));
	/* A kernel without modules has no such file. */
	struct strobe_error *err = read_beside(dir, "modules", &l->modules);
	if (err && err->code != ERROR_NOT_FOUND)
		return err;
	error_destroy(err);
	l->text = address_of(&l->kallsyms, "_text");
	l->stext = address_of(&l->kallsyms, "_stext");
	l->etext = address_of(&l->kallsyms, "_etext");
	read_modules(l);
	return NULL;
}

/* Whether both are of the same boot, with the same modules at the same addresses. */
static bool is_same_layout(const struct layout *a, const struct layout *b)
{
	bool same = a->stext == b->stext && a->etext == b->etext && a->places.len == b->places.len;
	for (size_t i = 0; i < a->places.len && same; i++) {
		const struct module_place *x = &a->places.data[i], *y = &b->places.data[i];
		same = !strcmp(x->name, y->name) && x->range.start == y->range.start && x->range.end == y->range.end;
	}
	return same;
}

/* ---- the folders of a kernel ---- */

static char *folder_of(const char *dir, const char *hex)
{
	return xasprintf("%s/" FOLDER "/%s", dir, hex);
}

/* Names are times: in descending order, the newest is first. */
static int newest_first(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*b)->d_name, (*a)->d_name);
}

static int is_time(const struct dirent *e)
{
	size_t n = strlen(e->d_name);
	return n && strspn(e->d_name, "0123456789") == n;
}

/* The first for which fn returns true, for the caller to free; NULL: none. */
static char *find_folder(const char *of_kernel, bool (*fn)(void *ctx, const struct layout *l), void *ctx)
{
	struct dirent **all;
	char *found = NULL;
	int n = scandir(of_kernel, &all, is_time, newest_first);
	for (int i = 0; i < n; i++) {
		_cleanup_free_ char *path = found ? NULL : xasprintf("%s/%s", of_kernel, all[i]->d_name);
		_cleanup_layout_ struct layout l = {};
		_cleanup_error_ struct strobe_error *err = path ? read_layout(path, &l) : NULL;
		if (path && !err && fn(ctx, &l))
			found = take_ptr(path);
		free(all[i]);
	}
	if (n >= 0)
		free(all);
	return found;
}

static bool lies_at(void *ctx, const struct layout *l)
{
	uint64_t base = *(const uint64_t *)ctx;
	return base == l->text || base == l->stext;
}

char *kcore_cache_find(const char *dir, const char *hex, uint64_t base)
{
	_cleanup_free_ char *of_kernel = folder_of(dir, hex);
	return base ? find_folder(of_kernel, lies_at, &base) : NULL;
}

static bool is_like(void *ctx, const struct layout *l)
{
	return is_same_layout(ctx, l);
}

/* ---- one more ---- */

static struct strobe_error *read_hex(const char *proc, char ret[BUILDID_HEX_MAX])
{
	_cleanup_free_ char *path = xasprintf("%s/.." KERNEL_NOTES, proc);
	uint8_t id[OBJECT_BUILD_ID_MAX];
	size_t n = object_build_id_of_notes(path, id);
	if (!n)
		return error_create(ERROR_NOT_FOUND, "%s has no build-id", path);
	buildid_hex(id, n, ret);
	return NULL;
}

/* Only readable by the owner, since it is the kernel's memory. */
static struct strobe_error *create(const char *dir, const char *name, int *ret_fd, char **ret_path)
{
	*ret_path = xasprintf("%s/%s", dir, name);
	*ret_fd = open(*ret_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0400);
	return *ret_fd < 0 ? error_errno(errno, "cannot write %s", *ret_path) : NULL;
}

static struct strobe_error *write_text(const char *dir, const char *name, const struct strbuf *text)
{
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *path = NULL;
	TRY(create(dir, name, &fd, &path));
	return file_write_fd(fd, path, strbuf_str(text), text->len);
}

/* The code of the kernel and of modules; adjacent pages are merged into one range. */
static struct strobe_error *write_code(const char *dir, const char *kcore, const struct layout *l)
{
	VEC(struct kcore_range) ranges = {};
	vec_push(&ranges, ((struct kcore_range){ l->stext & -PAGE_BYTES, (l->etext + PAGE_BYTES - 1) & -PAGE_BYTES }));
	for (size_t i = 0; i < l->places.len; i++) {
		struct kcore_range r = l->places.data[i].range;
		r = (struct kcore_range){ r.start & -PAGE_BYTES, (r.end + PAGE_BYTES - 1) & -PAGE_BYTES };
		if (ranges.len > 1 && vec_last(&ranges).end >= r.start)
			vec_last(&ranges).end = r.end;
		else
			vec_push(&ranges, r);
	}
	_cleanup_close_ int fd = -1;
	_cleanup_free_ char *path = NULL;
	struct strobe_error *err = create(dir, "kcore", &fd, &path);
	if (!err)
		err = kcore_write(kcore, ranges.data, ranges.len, fd, path);
	vec_deinit(&ranges);
	return err;
}

void kcore_copy_remove(const char *dir)
{
	static const char *const names[] = { "kcore", "kallsyms", "modules" };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		_cleanup_free_ char *path = xasprintf("%s/%s", dir, names[i]);
		unlink(path);
	}
	rmdir(dir);
}

static struct strobe_error *write_folder(const char *dir, const char *kcore, const struct layout *l)
{
	TRY(file_make_dirs(dir));
	struct strobe_error *err = write_text(dir, "kallsyms", &l->kallsyms);
	if (!err)
		err = write_text(dir, "modules", &l->modules);
	if (!err)
		err = write_code(dir, kcore, l);
	if (err)
		kcore_copy_remove(dir);
	return err;
}

static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
}

/* As read_layout(), where all of it is known. proc: the directory of kcore. */
static struct strobe_error *read_layout_of(const char *kcore, const char *proc, struct layout *l)
{
	if (access(kcore, R_OK))
		return error_errno(errno, "cannot read %s", kcore);
	TRY(read_layout(proc, l));
	if (!l->stext || l->etext <= l->stext)
		return error_with_check("kernel-symbols", error_create(ERROR_PERMISSION,
					"%s/kallsyms does not show the kernel's addresses: only root may see them, and "
					"not even root if kernel.kptr_restrict is 2", proc));
	return NULL;
}

struct strobe_error *kcore_copy(const char *dir, const char *kcore)
{
	_cleanup_free_ char *proc = directory_of(kcore);
	_cleanup_layout_ struct layout l = {};
	TRY(read_layout_of(kcore, proc, &l));
	return write_folder(dir, kcore, &l);
}

struct strobe_error *kcore_cache_add(const char *dir, const char *kcore, char **ret_path, bool *ret_old)
{
	_cleanup_free_ char *proc = directory_of(kcore);
	_cleanup_layout_ struct layout l = {};
	char hex[BUILDID_HEX_MAX];
	*ret_path = NULL;
	TRY(read_layout_of(kcore, proc, &l));
	TRY(read_hex(proc, hex));
	_cleanup_free_ char *of_kernel = folder_of(dir, hex);
	*ret_path = find_folder(of_kernel, is_like, &l);
	*ret_old = *ret_path;
	if (*ret_old)
		return NULL;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	_cleanup_free_ char *name = text_timestamp(now);
	*ret_path = xasprintf("%s/%s", of_kernel, name);
	return write_folder(*ret_path, kcore, &l);
}
