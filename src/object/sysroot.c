#include "object/sysroot.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define FLAT "flat"

struct strobe_error *sysroot_check(const char *root)
{
	const char *layout = strrchr(root, ',');
	if (!layout || !strcmp(layout + 1, FLAT) || !strcmp(layout + 1, "hierarchy"))
		return NULL;
	return error_create(ERROR_USAGE,
			    "Invalid layout: '%s', use 'hierarchy' or 'flat'; of a directory with a comma in its name: '%s,hierarchy'",
			    layout + 1, root);
}

char *sysroot_directory(const char *root)
{
	const char *layout = strrchr(root, ',');
	return xstrndup(root, layout ? (size_t)(layout - root) : strlen(root));
}

char *sysroot_path(const char *root, const char *path)
{
	if (!root)
		return xstrdup(path);
	const char *layout = strrchr(root, ',');
	int bytes = layout ? (int)(layout - root) : (int)strlen(root);
	if (layout && !strcmp(layout + 1, FLAT))
		return xasprintf("%.*s/%s", bytes, root, text_base_name(path));
	return xasprintf("%.*s%s", bytes, root, path);
}
