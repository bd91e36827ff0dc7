#include "symbol/debug_package.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/filemap.h"
#include "base/mem.h"
#include "base/text.h"

#define DPKG_DIR "/var/lib/dpkg/info"

/* Whether the file is a line of the list. */
static bool list_has(const char *dir, const char *name, const char *path)
{
	_cleanup_free_ char *file = xasprintf("%s/%s", dir, name);
	struct filemap m;
	struct strobe_error *err = filemap_open(&m, file);
	if (err) {
		error_destroy(err);
		return false;
	}
	const char *at = (const char *)m.data, *end = at + m.bytes;
	size_t n = strlen(path);
	bool found = false;
	while (!found && at && (at = memmem(at, (size_t)(end - at), path, n))) {
		found = (at == (const char *)m.data || at[-1] == '\n') && at + n < end && at[n] == '\n';
		at++;
	}
	filemap_close(&m);
	return found;
}

/* "libc6:amd64.list" is of the package libc6. */
static char *package_name(const char *list)
{
	size_t n = strcspn(list, ":");
	if (n == strlen(list))
		n -= strlen(".list");
	bool by_hand = text_has_prefix(list, "libc6") || text_has_prefix(list, "python3.") || text_has_prefix(list, "libpython3.");
	if (text_has_prefix(list, "python3.") || text_has_prefix(list, "libpython3.")) {
		/* One package has the symbols of all that a version is made of: "python3.11-minimal" is one of these. */
		const char *from = list + (*list == 'l' ? 3 : 0);
		return xasprintf("%.*s-dbg", (int)(7 + 1 + strspn(from + 8, "0123456789")), from);
	}
	return xasprintf("%.*s%s", (int)n, list, by_hand ? "-dbg" : "-dbgsym");
}

char *debug_package_of(const char *path, const char *dpkg_dir)
{
	const char *dir = dpkg_dir ? dpkg_dir : DPKG_DIR;
	/* Lists may have files where they were before /bin and /lib became links. */
	const char *before = text_has_prefix(path, "/usr/") ? path + strlen("/usr") : NULL;
	DIR *d = opendir(dir);
	char *found = NULL;
	if (!d)
		return NULL;
	for (struct dirent *e; !found && (e = readdir(d));)
		if (text_has_suffix(e->d_name, ".list") && (list_has(dir, e->d_name, path) || (before && list_has(dir, e->d_name, before))))
			found = package_name(e->d_name);
	closedir(d);
	return found;
}
