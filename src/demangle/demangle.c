#include "demangle/demangle.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "demangle/cxx_tree.h"
#include "demangle/d_name.h"
#include "demangle/haskell_name.h"
#include "demangle/ocaml_name.h"
#include "demangle/rust_name.h"

/* On the stack, for most names: threads that demangle concurrently would contend in malloc. */
#define NODES_BYTES 8192
#define TEXT_BYTES  500

static char *demangle_cxx(const char *name, bool whole)
{
	_cleanup_strbuf_ struct strbuf text = {};
	struct arena arena;
	char nodes[NODES_BYTES];
	/* Old compilers' functions that run constructors: the rest of the name may be mangled itself. */
	if (name[1] == 'G') {
		char *of = name[11] == '_' && name[12] == 'Z' ? demangle_name(name + 11) : NULL;
		strbuf_addf(&text, "global %s keyed to %s", name[9] == 'I' ? "constructors" : "destructors",
			    of ? of : name + 11);
		free(of);
		return strbuf_take(&text);
	}
	arena_init_on(&arena, nodes, sizeof(nodes));
	strbuf_reserve(&text, TEXT_BYTES);
	struct cxx_node *n = cxx_parse(&arena, name, whole);
	bool done = n && cxx_print(&arena, n, &text);
	arena_deinit(&arena);
	return done ? strbuf_take(&text) : NULL;
}

bool demangle_has_signature(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' || name[1] == 'G');
}

bool demangle_is_mangled(const char *name)
{
	if (name[0] != '_')
		return ocaml_is_mangled(name) || haskell_is_mangled(name);
	return name[1] == 'Z' || name[1] == 'R' || d_is_mangled(name) ||
	       (!strncmp(name, "_GLOBAL_", 8) && name[8] && strchr("._$", name[8]) &&
		(name[9] == 'D' || name[9] == 'I') && name[10] == '_');
}

static char *demangle_plain(const char *name, bool whole)
{
	if (name[0] != '_')
		return ocaml_is_mangled(name) ? ocaml_demangle(name, whole) : haskell_demangle(name, whole);
	if (name[1] == 'D')
		return d_demangle(name, whole);
	char *shown = rust_demangle(name);
	return shown || name[1] == 'R' ? shown : demangle_cxx(name, whole);
}

static char *demangle(const char *name, bool whole)
{
	if (!demangle_is_mangled(name))
		return NULL;
	/* Added by strobe, not part of the symbol: "_Z3foov@plt" reads "foo@plt". */
	size_t length = strlen(name);
	bool plt = length > 4 && !strcmp(name + length - 4, "@plt");
	if (!plt)
		return demangle_plain(name, whole);
	char *bare = xstrndup(name, length - 4), *shown = demangle_plain(bare, whole);
	free(bare);
	if (!shown)
		return NULL;
	char *called = xasprintf("%s@plt", shown);
	free(shown);
	return called;
}

char *demangle_name(const char *name)
{
	return demangle(name, false);
}

char *demangle_whole_name(const char *name)
{
	return demangle(name, true);
}
