#include "interp/script_text.h"

#include <string.h>

#include "base/utf8.h"

struct text {
	char *to;
	size_t n, cap;
};

/* What is not UTF-8 becomes U+FFFD. */
static void add(struct text *t, const char *bytes, size_t n)
{
	uint32_t c;
	for (size_t i = 0; i < n && bytes[i] && t->cap - t->n > UTF8_MAX;) {
		size_t length = utf8_decode(bytes + i, n - i, &c);
		t->n += utf8_encode(length ? c : 0xfffd, t->to + t->n);
		i += length ? length : 1;
	}
	t->to[t->n] = 0;
}

static void add_string(struct text *t, const char *s)
{
	add(t, s, strlen(s));
}

static void add_php(struct text *t, const struct script_parts *p)
{
	if (p->owner.n) {
		add(t, p->owner.data, p->owner.n);
		add_string(t, "::");
	}
	if (p->name.n)
		add(t, p->name.data, p->name.n);
	else
		add_string(t, "{main}");
}

static void add_perl(struct text *t, const struct script_parts *p)
{
	static const char eval[] = "(eval ";
	bool is_eval = p->file.n >= sizeof(eval) && !memcmp(p->file.data, eval, sizeof(eval) - 1);
	if (p->form == PERL_FORM_MAIN) {
		add_string(t, "(main)");
	} else if (p->form == PERL_FORM_FILE) {
		add_string(t, is_eval ? "(eval)" : "(require)");
	} else {
		add(t, p->owner.data, p->owner.n);
		add_string(t, "::");
		add(t, p->name.data, p->name.n);
	}
}

bool script_name(const struct script_parts *parts, char *ret, size_t cap)
{
	struct text t = { .to = ret, .cap = cap };
	*ret = 0;
	switch (parts->kind) {
	case SCRIPT_PYTHON:
		return python_text(parts->python, parts->name.data, parts->name.n, ret, cap);
	case SCRIPT_PHP:
		add_php(&t, parts);
		break;
	case SCRIPT_PERL:
		add_perl(&t, parts);
		break;
	default:
		add(&t, parts->name.data, parts->name.n);
	}
	return t.n > 0;
}

bool script_file(const struct script_parts *parts, char *ret, size_t cap)
{
	struct text t = { .to = ret, .cap = cap };
	*ret = 0;
	if (parts->kind == SCRIPT_PYTHON)
		return python_text(parts->python, parts->file.data, parts->file.n, ret, cap);
	add(&t, parts->file.data, parts->file.n);
	return t.n > 0;
}
