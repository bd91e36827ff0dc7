#include "interp/interpreter.h"

#include <elf.h>
#include <string.h>

#include "base/text.h"
#include "interp/cold.h"

#define NR(array) (sizeof(array) / sizeof(*(array)))

static const struct {
	const char *name;
	unsigned type; /* STT_* */
} names[INTERPRETER_SYMBOLS] = {
	[INTERPRETER_PYTHON] = { "_PyRuntime", STT_OBJECT },
	[INTERPRETER_PYTHON_LOOP] = { "_PyEval_EvalFrameDefault", STT_FUNC },
	[INTERPRETER_PYTHON_VERSION] = { "Py_Version", STT_OBJECT },
	[INTERPRETER_PHP] = { "executor_globals", STT_OBJECT },
	[INTERPRETER_PHP_LOOP] = { "execute_ex", STT_FUNC },
	[INTERPRETER_RUBY] = { "ruby_current_ec", STT_TLS },
	[INTERPRETER_RUBY_LOOP] = { "rb_vm_exec", STT_FUNC },
	[INTERPRETER_RUBY_VERSION] = { "ruby_version", STT_OBJECT },
	[INTERPRETER_RUBY_THREAD] = { "rb_thread_current", STT_FUNC },
	[INTERPRETER_PERL] = { "PL_thr_key", STT_OBJECT },
	[INTERPRETER_PERL_LOOP] = { "Perl_runops_standard", STT_FUNC },
	[INTERPRETER_PERL_DEBUG_LOOP] = { "Perl_runops_debug", STT_FUNC },
	[INTERPRETER_PERL_MAJOR] = { "PL_version", STT_OBJECT },
	[INTERPRETER_PERL_MINOR] = { "PL_subversion", STT_OBJECT },
	[INTERPRETER_KEYS] = { "_thread_db_pthread_specific", STT_OBJECT },
	[INTERPRETER_V8] = { "v8dbg_off_fp_function", STT_OBJECT },
	[INTERPRETER_V8_FRAME] = { "v8dbg_off_fp_context", STT_OBJECT },
	[INTERPRETER_HOTSPOT] = { "gHotSpotVMStructs", STT_OBJECT },
	[INTERPRETER_HOTSPOT_TYPES] = { "gHotSpotVMTypes", STT_OBJECT },
	[INTERPRETER_LUAJIT] = { "luaJIT_setmode", STT_FUNC },
};

static void take_cold(const char *name, const struct object_symbol *s, struct interpreter_symbols *ret)
{
	static const enum interpreter_symbol loops[] = { INTERPRETER_PYTHON_LOOP, INTERPRETER_PHP_LOOP, INTERPRETER_RUBY_LOOP };
	for (size_t i = 0; i < NR(loops); i++)
		if (text_has_prefix(name, names[loops[i]].name) && text_has_prefix(name + strlen(names[loops[i]].name), ".cold"))
			ret->cold = (struct interpreter_range){ s->value, s->value + s->size };
}

static void take_symbol(const struct object_symtab *t, uint32_t i, bool is_dynamic, struct interpreter_symbols *ret)
{
	struct object_symbol s = object_symbol(t, i);
	const char *name = object_symbol_name(t, &s);
	if (!s.section || !strchr("_eglrPRv", *name) || !*name || (name[0] == '_' && name[1] == 'Z')) /* skips thousands of C++ symbols */
		return;
	for (size_t j = 0; j < NR(names); j++) {
		if (*name != *names[j].name || ELF64_ST_TYPE(s.info) != names[j].type || strcmp(name, names[j].name) != 0)
			continue;
		ret->of[j] = s;
		ret->index[j] = is_dynamic ? i : ret->index[j];
		return;
	}
	if (!is_dynamic && ELF64_ST_TYPE(s.info) == STT_FUNC && strstr(name, ".cold"))
		take_cold(name, &s, ret);
}

static void find_symbols(const struct object *o, uint32_t type, struct interpreter_symbols *ret)
{
	struct object_symtab t;
	if (!object_symtab(o, type, &t))
		return;
	for (uint32_t i = 1; i < t.count; i++)
		take_symbol(&t, i, type == SHT_DYNSYM, ret);
}

/* Finds struct pthread.specific like libthread_db: bits of an element (32 pointers), number of elements, offset. */
static void find_keys(const struct object *o, const struct object_symbol *s, struct interpreter *ret)
{
	uint32_t words[3];
	size_t n;
	const void *p = s->section ? object_bytes_at(o, s->value, &n) : NULL;
	if (!p || n < sizeof(words))
		return;
	memcpy(words, p, sizeof(words));
	if (words[0] == 32 * 64 && words[2] < PYTHON_OFFSET_MAX)
		ret->keys = words[2];
}

static void set_loop(const struct interpreter_symbols *symbols, enum interpreter_symbol loop, struct interpreter *ret)
{
	const struct object_symbol *s = &symbols->of[loop];
	ret->loop[0] = (struct interpreter_range){ s->value, s->value + s->size };
	ret->loop[1] = symbols->cold;
}

static void find_python(const struct object *o, const struct interpreter_symbols *symbols, const char *name, struct interpreter *ret)
{
	uint64_t runtime = symbols->of[INTERPRETER_PYTHON].value, version = 0;
	const struct object_symbol *s = &symbols->of[INTERPRETER_PYTHON_VERSION];
	size_t n;
	const void *p = s->section ? object_bytes_at(o, s->value, &n) : NULL;
	if (p && n >= sizeof(version)) /* since 3.11: 0x030b02f0 */
		memcpy(&version, p, sizeof(version));
	ret->is_known = python_find(o, runtime, version >> 24 == 3 ? version >> 16 & 0xff : python_minor_of_name(name), &ret->python);
	ret->start = runtime + ret->python.interpreters;
}

static bool has(const struct interpreter_symbols *symbols, enum interpreter_symbol a, enum interpreter_symbol b)
{
	return symbols->of[a].section && symbols->of[b].section;
}

static enum script_kind kind_of(const struct interpreter_symbols *s)
{
	return has(s, INTERPRETER_PYTHON, INTERPRETER_PYTHON_LOOP) ? SCRIPT_PYTHON :
	       has(s, INTERPRETER_PHP, INTERPRETER_PHP_LOOP)       ? SCRIPT_PHP :
	       has(s, INTERPRETER_RUBY_THREAD, INTERPRETER_RUBY_VERSION) ? SCRIPT_RUBY :
	       has(s, INTERPRETER_PERL, INTERPRETER_PERL_LOOP)     ? SCRIPT_PERL :
	       has(s, INTERPRETER_V8, INTERPRETER_V8_FRAME)	   ? SCRIPT_V8 :
	       has(s, INTERPRETER_HOTSPOT, INTERPRETER_HOTSPOT_TYPES) ? SCRIPT_HOTSPOT :
	       s->of[INTERPRETER_LUAJIT].section			      ? SCRIPT_LUAJIT :
								     SCRIPT_NONE;
}

bool interpreter_is_in(const struct object *o)
{
	struct interpreter_symbols symbols = {};
	if (object_header(o)->is_64bit && !object_header(o)->swap)
		find_symbols(o, SHT_DYNSYM, &symbols);
	return kind_of(&symbols) != SCRIPT_NONE;
}

void interpreter_find(struct object *o, const char *name, struct interpreter *ret)
{
	struct interpreter_symbols symbols = {};
	*ret = (struct interpreter){};
	if (!object_header(o)->is_64bit || object_header(o)->swap)
		return;
	find_symbols(o, SHT_DYNSYM, &symbols);
	find_symbols(o, SHT_SYMTAB, &symbols);
	find_keys(o, &symbols.of[INTERPRETER_KEYS], ret);
	ret->kind = kind_of(&symbols);
	switch (ret->kind) {
	case SCRIPT_PYTHON:
		set_loop(&symbols, INTERPRETER_PYTHON_LOOP, ret);
		find_python(o, &symbols, name, ret);
		break;
	case SCRIPT_PHP:
		set_loop(&symbols, INTERPRETER_PHP_LOOP, ret);
		php_find(o, &symbols, ret);
		break;
	case SCRIPT_RUBY:
		set_loop(&symbols, INTERPRETER_RUBY_LOOP, ret);
		ruby_find(o, &symbols, ret);
		break;
	case SCRIPT_PERL:
		set_loop(&symbols, INTERPRETER_PERL_LOOP, ret);
		perl_find(o, &symbols, ret);
		break;
	case SCRIPT_V8:
		v8_find(o, ret);
		break;
	case SCRIPT_HOTSPOT:
		hotspot_find(o, ret);
		break;
	case SCRIPT_LUAJIT:
		luajit_find(o, ret);
		break;
	default:
		break;
	}
	if (ret->is_known && ret->loop[0].start && ret->kind != SCRIPT_PERL && ret->kind != SCRIPT_LUAJIT && !ret->loop[1].start)
		interpreter_find_cold(o, ret->loop[0], &ret->loop[1]);
}

const char *interpreter_mapping(enum script_kind kind)
{
	static const char *const mappings[SCRIPT_KINDS] = {
		[SCRIPT_PYTHON] = "[python]", [SCRIPT_PHP] = "[php]", [SCRIPT_RUBY] = "[ruby]", [SCRIPT_PERL] = "[perl]",
		[SCRIPT_V8] = "[v8]", [SCRIPT_HOTSPOT] = "[java]", [SCRIPT_LUAJIT] = "[lua]",
	};
	return mappings[kind] ? mappings[kind] : mappings[SCRIPT_PYTHON];
}
