#include "view/html/language.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static const struct {
	const char *suffix, *language;
} suffixes[] = {
	{ ".c", "C" },       { ".cc", "C++" },       { ".cpp", "C++" },  { ".cxx", "C++" },
	{ ".hpp", "C++" },   { ".hh", "C++" },       { ".rs", "Rust" },      { ".go", "Go" },    { ".java", "Java" },
	{ ".scala", "Scala" }, { ".kt", "Kotlin" },  { ".py", "Python" },    { ".js", "JavaScript" }, { ".mjs", "JavaScript" },
	{ ".ts", "JavaScript" }, { ".S", "Assembler" }, { ".s", "Assembler" }, { ".asm", "Assembler" }, { ".zig", "Zig" },
	{ ".d", "D" },       { ".swift", "Swift" },  { ".f90", "Fortran" },  { ".f", "Fortran" }, { ".ml", "OCaml" },
	{ ".hs", "Haskell" }, { ".rb", "Ruby" },     { ".php", "PHP" },      { ".lua", "Lua" },  { ".pyx", "Python" },
};

/* Headers named .h may be C or C++: only those of the C++ library are conclusive. */
static const char *by_file(const char *file)
{
	if (strstr(file, "/c++/"))
		return "C++";
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (text_has_suffix(file, suffixes[i].suffix))
			return suffixes[i].language;
	return NULL;
}

static bool has_prefix(const char *s, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (text_has_prefix(s, *prefixes))
			return true;
	return false;
}

/* Names that runtimes give to generated code. */
static const char *by_runtime(const char *name)
{
	static const char *const script[] = { "LazyCompile:", "Function:", "JS:", "Script:", "Eval:", "RegExp:", "Builtin:", NULL };
	static const char *const python[] = { "py::", NULL };
	if (has_prefix(name, script))
		return "JavaScript";
	if (has_prefix(name, python))
		return "Python";
	if (name[0] == 'L' && strchr(name, ';'))
		return "Java";
	return "JIT";
}

/* "runtime.mallocgc", "net/http.(*conn).serve"; not "f.part.0" or "f.cold", which C compilers generate. */
static bool is_go(const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *dot = strchr(slash ? slash : name, '.');
	if (!dot || dot == name || !(isalpha((unsigned char)dot[1]) || dot[1] == '(' || dot[1] == '_'))
		return false;
	static const char *const parts[] = { ".part", ".isra", ".constprop", ".cold", ".llvm", ".lto_priv", ".clone", ".str", NULL };
	if (has_prefix(dot, parts) || strstr(name, "::") || strchr(name, '@'))
		return false;
	for (const char *c = name; c < dot; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_/.-", *c))
			return false;
	return true;
}

/* "_ZN4core3fmt5write17h0123456789abcdefE": Rust's hash after a name mangled as in C++. */
static bool is_legacy_rust(const char *s)
{
	size_t n = strlen(s);
	return n > 20 && s[n - 1] == 'E' && !strncmp(s + n - 20, "17h", 3);
}

const char *language_of_function(const struct profile *p, const struct profile_function *f)
{
	const char *name = profile_str(p, f->name), *system = profile_str(p, f->system_name);
	const char *file = f->file ? by_file(profile_str(p, f->file)) : NULL;
	const struct profile_mapping *m = f->mapping == PROFILE_NONE ? NULL : &p->mappings.data[f->mapping];
	if (file)
		return file;
	if (!*system)
		system = name;
	if (!*name || name[0] == '[')
		return "";
	if (m && (m->space == SPACE_KERNEL || m->space == SPACE_GUEST_KERNEL))
		return "C";
	if (m && strstr(profile_str(p, m->path), "/perf-"))
		return by_runtime(name);
	if (text_has_prefix(system, "_R") || (text_has_prefix(system, "_ZN") && is_legacy_rust(system)))
		return "Rust";
	if (text_has_prefix(system, "_Z") || strstr(name, "::") || text_has_prefix(name, "operator"))
		return "C++";
	return is_go(name) ? "Go" : "C";
}
