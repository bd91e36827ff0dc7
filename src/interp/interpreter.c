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
	[INTERPRETER_PHP] = { "executor_globals", STT_OBJECT },
	[INTERPRETER_PHP_LOOP] = { "execute_ex", STT_FUNC },
	[INTERPRETER_RUBY] = { "ruby_current_ec", STT_TLS },
	[INTERPRETER_RUBY_LOOP] = { "rb_vm_exec", STT_FUNC },
	[INTERPRETER_RUBY_VERSION] = { "ruby_version", STT_OBJECT },
	[INTERPRETER_PERL] = { "PL_thr_key", STT_OBJECT },
	[INTERPRETER_PERL_LOOP] = { "Perl_runops_standard", STT_FUNC },
	[INTERPRETER_PERL_DEBUG_LOOP] = { "Perl_runops_debug", STT_FUNC },
	[INTERPRETER_PERL_MAJOR] = { "PL_version", STT_OBJECT },
	[INTERPRETER_PERL_MINOR] = { "PL_subversion", STT_OBJECT },
	[INTERPRETER_KEYS] = { "_thread_db_pthread_specific", STT_OBJECT },
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
	if (!s.section || !strchr("_erPR", *name) || !*name)
		return;
	for (size_t j = 0; j < NR(names); j++) {
		if (*name != *names[j].name || ELF64_ST_TYPE(s.info) != names[j].type || strcmp(name, names[j].name) != 0)
			continue;
		ret->of[j] = s;
		ret->index[j] = is_dynamic ? i : ret->index[j];
		return;
	}
	if (ELF64_ST_TYPE(s.info) == STT_FUNC && strstr(name, ".cold"))
		take_cold(name, &s, ret);
}

static void find_symbols(const struct object *o, struct interpreter_symbols *ret)
{
	static const uint32_t types[] = { SHT_DYNSYM, SHT_SYMTAB };
	struct object_symtab t;
	for (size_t i = 0; i < NR(types); i++)
		for (uint32_t j = 1; object_symtab(o, types[i], &t) && j < t.count; j++)
			take_symbol(&t, j, types[i] == SHT_DYNSYM, ret);
}

/* struct pthread.specific, as libthread_db learns where it is: its bits (32 pointers), how many there are, the offset. */
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

static bool has(const struct interpreter_symbols *symbols, enum interpreter_symbol a, enum interpreter_symbol b)
{
	return symbols->of[a].section && symbols->of[b].section;
}

void interpreter_find(struct object *o, const char *name, struct interpreter *ret)
{
	struct interpreter_symbols symbols = {};
	*ret = (struct interpreter){};
	if (!object_header(o)->is_64bit || object_header(o)->swap)
		return;
	find_symbols(o, &symbols);
	find_keys(o, &symbols.of[INTERPRETER_KEYS], ret);
	if (has(&symbols, INTERPRETER_PYTHON, INTERPRETER_PYTHON_LOOP)) {
		ret->kind = SCRIPT_PYTHON;
		set_loop(&symbols, INTERPRETER_PYTHON_LOOP, ret);
		ret->is_known = python_find(o, symbols.of[INTERPRETER_PYTHON].value, name, &ret->python);
		ret->start = symbols.of[INTERPRETER_PYTHON].value + ret->python.interpreters;
	} else if (has(&symbols, INTERPRETER_PHP, INTERPRETER_PHP_LOOP)) {
		ret->kind = SCRIPT_PHP;
		set_loop(&symbols, INTERPRETER_PHP_LOOP, ret);
		php_find(o, &symbols, ret);
	} else if (has(&symbols, INTERPRETER_RUBY, INTERPRETER_RUBY_LOOP)) {
		ret->kind = SCRIPT_RUBY;
		set_loop(&symbols, INTERPRETER_RUBY_LOOP, ret);
		ruby_find(o, &symbols, ret);
	} else if (has(&symbols, INTERPRETER_PERL, INTERPRETER_PERL_LOOP)) {
		ret->kind = SCRIPT_PERL;
		set_loop(&symbols, INTERPRETER_PERL_LOOP, ret);
		perl_find(o, &symbols, ret);
	}
	if (ret->is_known && ret->kind != SCRIPT_PERL && !ret->loop[1].start)
		interpreter_find_cold(o, ret->loop[0], &ret->loop[1]);
}

const char *interpreter_mapping(enum script_kind kind)
{
	static const char *const mappings[SCRIPT_KINDS] = {
		[SCRIPT_PYTHON] = "[python]", [SCRIPT_PHP] = "[php]", [SCRIPT_RUBY] = "[ruby]", [SCRIPT_PERL] = "[perl]",
	};
	return mappings[kind] ? mappings[kind] : mappings[SCRIPT_PYTHON];
}
