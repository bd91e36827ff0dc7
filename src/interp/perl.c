/* Perl 5.36, 5.40 and 5.42, with threads as built by Debian: the interpreter is found by a key of the thread. */
#include "interp/interpreter.h"

static const struct {
	uint8_t version;
	struct perl_layout layout;
} versions[] = {
	{ 36, { .place = 208, .stack = 224, .main = 1800, .context_bytes = 104, .sub = 72, .eval = 88, .file = 48,
		.statements = { 195, 196 } } },
	{ 40, { .place = 208, .stack = 224, .main = 1584, .context_bytes = 104, .sub = 72, .eval = 88, .file = 48,
		.statements = { 198, 199 } } },
	{ 42, { .place = 208, .stack = 224, .main = 1584, .context_bytes = 104, .sub = 72, .eval = 88, .file = 48,
		.statements = { 202, 203 } } },
};

void perl_find(struct object *o, const struct interpreter_symbols *symbols, struct interpreter *ret)
{
	size_t n;
	const struct object_symbol *s = &symbols->of[INTERPRETER_PERL_MAJOR], *debug = &symbols->of[INTERPRETER_PERL_DEBUG_LOOP];
	const uint8_t *version = s->section ? object_bytes_at(o, s->value, &n) : NULL;
	ret->loop[1] = debug->section ? (struct interpreter_range){ debug->value, debug->value + debug->size } : ret->loop[1];
	for (size_t i = 0; version && n && i < sizeof(versions) / sizeof(*versions); i++) {
		if (versions[i].version != *version)
			continue;
		ret->perl = versions[i].layout;
		ret->start = symbols->of[INTERPRETER_PERL].value;
		ret->is_known = true;
	}
}
