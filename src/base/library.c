#include "base/library.h"

#include <string.h>

#if STROBE_STATIC
struct strobe_error *library_load(const struct library *l, const struct library_symbol *symbols, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!symbols[i].linked)
			return error_create(ERROR_UNSUPPORTED, "the static binary does not contain %s: use a dynamically linked strobe",
					    l->files[0]);
		memcpy(symbols[i].to, &symbols[i].linked, sizeof(symbols[i].linked));
	}
	return NULL;
}
#else
#include <dlfcn.h>

struct strobe_error *library_load(const struct library *l, const struct library_symbol *symbols, size_t n)
{
	void *handle = NULL;
	const char *file = NULL;
	for (size_t i = 0; i < LIBRARY_FILES_MAX && l->files[i] && !handle; i++) {
		file = l->files[i];
		handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	}
	if (!handle && !l->missing)
		return error_create(ERROR_UNSUPPORTED, "cannot load %s", dlerror());
	if (!handle)
		return error_create(ERROR_UNSUPPORTED, "%s", l->missing);
	for (size_t i = 0; i < n; i++) {
		void *address = dlsym(handle, symbols[i].name);
		if (!address && !symbols[i].is_optional)
			return error_create(ERROR_UNSUPPORTED, "%s has no %s", file, symbols[i].name);
		memcpy(symbols[i].to, &address, sizeof(address));
	}
	return NULL;
}
#endif
