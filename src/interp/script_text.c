#include "interp/script_text.h"

#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "interp/hotspot.h"

#define FILE_URL "file:///" /* prefix of modules */

struct text {
	char *to;
	size_t n, cap;
};

/* Replaces invalid UTF-8 by U+FFFD. */
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

/* Latin-1 or UTF-16, in the machine's byte order. */
static void add_v8(struct text *t, const struct script_bytes *b, bool is_wide)
{
	for (size_t i = 0; i + is_wide < b->n && t->cap - t->n > UTF8_MAX; i += 1 + is_wide) {
		uint32_t c = (uint8_t)b->data[i];
		if (is_wide)
			c |= (uint32_t)(uint8_t)b->data[i + 1] << 8;
		if (!c)
			break;
		t->n += utf8_encode((c & 0xf800) == 0xd800 ? 0xfffd : c, t->to + t->n);
	}
	t->to[t->n] = 0;
}

/* As in a stack trace of Java: "java.util.TreeMap.put"; or the name of a stub. */
static void add_hotspot(struct text *t, const struct script_parts *p)
{
	size_t from = t->n;
	if (p->owner.n) {
		add(t, p->owner.data, p->owner.n);
		hotspot_class_name(t->to + from);
		add_string(t, ".");
	}
	add(t, p->name.data, p->name.n);
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
	case SCRIPT_HOTSPOT:
		add_hotspot(&t, parts);
		break;
	case SCRIPT_V8:
		add_v8(&t, &parts->name, parts->form & V8_FORM_WIDE_NAME);
		if (!t.n)
			add_string(&t, "(anonymous)");
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
	if (parts->kind == SCRIPT_V8)
		add_v8(&t, &parts->file, parts->form & V8_FORM_WIDE_FILE);
	else
		add(&t, parts->file.data, parts->file.n);
	if (text_has_prefix(ret, FILE_URL))
		memmove(ret, ret + strlen(FILE_URL) - 1, t.n + 2 - strlen(FILE_URL));
	return t.n > 0;
}
