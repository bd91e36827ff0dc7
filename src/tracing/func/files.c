#include "tracing/func/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "object/object.h"
#include "sys/process_files.h"
#include "sys/tasks.h"

/* Default directories of the dynamic linker, without those of ld.so.conf; the first ones with the multiarch directory appended. */
static const char *const library_dirs[] = {
#ifdef __x86_64__
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
	"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
#endif
	"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib",
};

/* "libc" and "libc.so" mean libc.so.6, "zsh" means zsh. */
static bool is_called(const char *file, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(file, word, n) != 0)
		return false;
	return !file[n] || text_has_prefix(file + n, ".so") || (file[n] == '.' && strstr(word, ".so"));
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* A file of that name mapped by the process, or NULL. */
static char *find_mapped(const struct func_context *where, const char *word)
{
	_cleanup_strbuf_ struct strbuf maps = {};
	_cleanup_error_ struct strobe_error *err = sys_read_maps(where->sys, where->pid, &maps);
	char *rest = err ? NULL : maps.data;
	for (char *line; rest && (line = strsep(&rest, "\n"));) {
		const char *name = strchr(line, '/');
		if (name && is_called(last_name(name), word))
			return xstrdup(name);
	}
	return NULL;
}

/* An executable file in PATH. */
static char *find_program(const char *word)
{
	const char *dirs = getenv("PATH");
	_cleanup_free_ char *list = xstrdup(dirs ? dirs : "/usr/local/bin:/usr/bin:/bin");
	char *rest = list;
	for (char *dir; (dir = strsep(&rest, ":"));) {
		_cleanup_free_ char *path = xasprintf("%s/%s", *dir ? dir : ".", word);
		if (!access(path, X_OK))
			return realpath(path, NULL);
	}
	return NULL;
}

/* "libc.so" may be a script of the linker. */
static bool is_object(const char *path)
{
	struct object *o = object_open_if_there(path);
	object_close(o);
	return o != NULL;
}

static char *find_library(const struct sys *sys, const char *word)
{
	for (size_t i = 0; i < sizeof(library_dirs) / sizeof(*library_dirs); i++) {
		sys_names names = {};
		char *found = NULL;
		error_destroy(sys_list(sys, library_dirs[i], &names));
		for (size_t k = 0; k < names.len && !found; k++) {
			_cleanup_free_ char *path = xasprintf("%s/%s", library_dirs[i], names.data[k]);
			if (is_called(names.data[k], word) && is_object(path))
				found = realpath(path, NULL);
		}
		sys_names_deinit(&names);
		if (found)
			return found;
	}
	return NULL;
}

/* The program of the process, or the command. */
static struct strobe_error *find_own(const struct func_context *where, char **ret)
{
	if (where->program) {
		*ret = strchr(where->program, '/') ? realpath(where->program, NULL) : find_program(where->program);
		return *ret ? NULL : error_create(ERROR_NOT_FOUND, "there is no program '%s'", where->program);
	}
	if (!where->pid)
		return error_create(ERROR_USAGE, "no program given: specify 'BIN:GLOB', a command, or a process (-p)");
	_cleanup_free_ char *path = process_program_of((uint32_t)where->pid), *link = process_program_link((uint32_t)where->pid);
	*ret = path && !access(path, R_OK) ? take_ptr(path) : process_full_path(link);
	return *ret ? NULL : error_create(ERROR_NOT_FOUND, "cannot find the program of process %d", (int)where->pid);
}

struct strobe_error *func_file_find(const struct func_context *where, const char *word, char **ret)
{
	*ret = NULL;
	if (!word)
		return find_own(where, ret);
	if (strchr(word, '/')) {
		*ret = process_full_path(word);
		return *ret ? NULL : error_create(ERROR_NOT_FOUND, "there is no file %s", word);
	}
	if (where->pid)
		*ret = find_mapped(where, word);
	if (!*ret && where->program && is_called(last_name(where->program), word))
		return find_own(where, ret);
	if (!*ret)
		*ret = find_program(word);
	if (!*ret)
		*ret = find_library(where->sys, word);
	if (*ret)
		return NULL;
	return error_create(ERROR_NOT_FOUND, "there is no program or library '%s': give its path", word);
}
