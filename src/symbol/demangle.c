#include "symbol/demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "symbol/cxx_name.h"
#include "symbol/rust_name.h"

typedef char *(*cxa_demangle_fn)(const char *mangled, char *buffer, size_t *length, int *status);

static cxa_demangle_fn cxa_demangle;

static void load_cxa(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (!library)
		library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
	void *fn = library ? dlsym(library, "__cxa_demangle") : NULL;
	memcpy(&cxa_demangle, &fn, sizeof(fn));
}

static char *demangle_cxx(const char *name)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	_cleanup_strbuf_ struct strbuf reduced = {};
	int status;
	pthread_once(&once, load_cxa);
	if (!cxa_demangle)
		return NULL;
	if (!strncmp(name, "_GLOBAL_", 8)) {
		/* What its constructors belong to may be mangled again. */
		if (!strncmp(name + 11, "_Z", 2) && !cxx_name_reduce(name + 11, &reduced))
			return NULL;
		return cxa_demangle(name, NULL, NULL, &status);
	}
	if (!cxx_name_reduce(name, &reduced))
		return NULL;
	return cxa_demangle(strbuf_str(&reduced), NULL, NULL, &status);
}

bool demangle_is_mangled(const char *name)
{
	if (name[0] != '_')
		return false;
	return name[1] == 'Z' || name[1] == 'R' ||
	       (!strncmp(name, "_GLOBAL_", 8) && strchr("._$", name[8]) && (name[9] == 'D' || name[9] == 'I') && name[10] == '_');
}

static char *demangle_plain(const char *name)
{
	char *shown = rust_demangle(name);
	return shown || name[1] == 'R' ? shown : demangle_cxx(name);
}

char *demangle_name(const char *name)
{
	if (!demangle_is_mangled(name))
		return NULL;
	/* Ours, not the symbol's: "_Z3foov@plt" reads "foo@plt". */
	size_t length = strlen(name);
	bool plt = length > 4 && !strcmp(name + length - 4, "@plt");
	if (!plt)
		return demangle_plain(name);
	char *bare = xstrndup(name, length - 4), *shown = demangle_plain(bare);
	free(bare);
	if (!shown)
		return NULL;
	char *whole = xasprintf("%s@plt", shown);
	free(shown);
	return whole;
}
