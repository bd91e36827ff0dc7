#include "probe/definition.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"

#define BLANKS	      " \t\n"
#define FILE_LINE_MAX INT32_MAX

/* ---- words ---- */

bool probe_name_is_good(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

/* The quotation mark that closes the one at text, or NULL. */
static char *closing_quote(char *text)
{
	return *text == '\'' || *text == '"' ? strchr(text + 1, *text) : NULL;
}

/* The first character in `set` outside quotation marks and without a backslash before it, or the end of the text. */
static char *find_any(char *text, const char *set)
{
	while (*text && !strchr(set, *text)) {
		char *closing = closing_quote(text);
		text = closing ? closing + 1 : text + 1 + (*text == '\\' && text[1]);
	}
	return text;
}

/* The same, skipping "::" in names of C++ and Rust. */
static char *find_sign(char *text, const char *set)
{
	char *at = find_any(text, set);
	while (at[0] == ':' && at[1] == ':')
		at = find_any(at + 2, set);
	return at;
}

static char *unescape(char *text)
{
	char *to = text;
	for (const char *from = text; *from; from++) {
		from += *from == '\\' && from[1];
		*to++ = *from;
	}
	*to = 0;
	return text;
}

char *probe_unquote(char *text)
{
	char *to = text;
	for (char *from = text; *from; from++) {
		char *closing = closing_quote(from);
		size_t n = closing ? (size_t)(closing - from - 1) : 1;
		from += closing ? 1 : *from == '\\' && from[1];
		memmove(to, from, n);
		to += n;
		from = closing ? closing : from;
	}
	*to = 0;
	return text;
}

/* The next word, NUL-terminated; NULL at the end of the text. */
static char *next_word(char **text)
{
	char *word = *text + strspn(*text, BLANKS);
	if (!*word)
		return NULL;
	char *end = find_any(word, BLANKS);
	*text = end + (*end != 0);
	*end = 0;
	return word;
}

/* ---- the place ---- */

static struct strobe_error *check_name(const char *name, const char *what)
{
	if (probe_name_is_good(name))
		return NULL;
	return error_create(ERROR_USAGE, "'%s' cannot be the name of %s: it takes letters, digits and underscores, no digit first", name,
			    what);
}

/* Cuts "GROUP:EVENT=" off. */
static struct strobe_error *parse_name(char **word, struct probe_definition *ret)
{
	char *sign = find_any(*word, "=;+@%");
	if (*sign != '=')
		return NULL;
	*sign = 0;
	char *colon = find_any(*word, ":");
	ret->event = unescape(*word);
	if (*colon) {
		*colon = 0;
		ret->group = ret->event;
		ret->event = unescape(colon + 1);
		TRY(check_name(ret->group, "a group"));
	}
	*word = sign + 1;
	return check_name(ret->event, "an event");
}

static struct strobe_error *parse_line(const char *text, struct probe_point *p)
{
	uint64_t line;
	if (p->has_line)
		return error_create(ERROR_USAGE, "a place has only one line: unexpected '%s'", text);
	if (!text_to_u64(text, &line) || line > FILE_LINE_MAX)
		return error_create(ERROR_USAGE, "'%s' is not the number of a line", text);
	p->line = (uint32_t)line;
	p->has_line = true;
	return NULL;
}

/* Parses the part after a function's or file's name, which begins with sign. */
static struct strobe_error *parse_part(char sign, char *text, struct probe_point *p)
{
	if (sign == ';')
		unescape(text);
	else if (sign == '@')
		probe_unquote(text);
	if (!*text)
		return error_create(ERROR_USAGE, "nothing follows the '%c' of the place", sign);
	switch (sign) {
	case ':':
		return parse_line(text, p);
	case ';':
		p->pattern = text;
		return NULL;
	case '@':
		if (p->file)
			return error_create(ERROR_USAGE, "a place has only one source file: unexpected '%s'", text);
		p->file = text;
		return NULL;
	case '+':
		return text_to_u64(text, &p->offset) ? NULL :
			       error_create(ERROR_USAGE, "'%s' is not an offset in bytes (e.g. 4 or 0x1f)", text);
	default:
		p->is_return = !strcmp(text, "return");
		return p->is_return ? NULL : error_create(ERROR_USAGE, "'%%%s': only %%return may follow a function", text);
	}
}

static struct strobe_error *check_place(const struct probe_point *p)
{
	unsigned places = p->has_line + (p->offset != 0) + (p->pattern != NULL);
	if (!p->function && !p->has_line && !p->pattern)
		return error_create(ERROR_USAGE, "a source file requires a line or a pattern: %s:10", p->file ? p->file : "main.c");
	if (!p->function && (p->offset || p->is_return))
		return error_create(ERROR_USAGE, "offsets and %%return apply to functions, not to lines");
	if (p->is_return && places)
		return error_create(ERROR_USAGE, "%%return has no offset, line or pattern: it is where the function returns to");
	if (places > 1)
		return error_create(ERROR_USAGE, "a place has only one of a line, an offset and a pattern");
	return NULL;
}

static bool is_marker(const char *word)
{
	return *word == '%' || (text_has_prefix(word, "sdt_") && strchr(word, ':'));
}

/* Whether the place is in a file rather than a function: see the header. */
static bool is_in_file(char *word)
{
	size_t n = (size_t)(find_sign(word, ":;") - word);
	return word[n] && memchr(word, '.', n) && strcspn(word, "+@%") >= n;
}

static struct strobe_error *parse_point(char *word, struct probe_point *p)
{
	if (is_marker(word)) {
		p->marker = unescape(word + (*word == '%'));
		return *p->marker ? NULL : error_create(ERROR_USAGE, "'%%' requires the name of a marker: %%sdt_libc:setjmp");
	}
	if (text_has_prefix(word, "0x") && !strpbrk(word, ":;+@%")) {
		p->is_address = true;
		return text_to_u64(word, &p->offset) ? NULL : error_create(ERROR_USAGE, "'%s' is not an address", word);
	}
	bool names_file = *word == '@'; /* as perf prints places in files */
	word += names_file;
	bool in_file = names_file || is_in_file(word);
	char *at = find_sign(word, in_file ? ":;" : ":;+@%");
	char sign = *at;
	if (at == word)
		return error_create(ERROR_USAGE, "a place must begin with a function or a source file");
	while (sign) {
		*at = 0;
		/* a pattern extends to the end */
		char *text = at + 1, *end = sign == ';' ? text + strlen(text) : find_any(text, ":;+@%");
		char next = *end;
		*end = 0;
		TRY(parse_part(sign, text, p));
		at = end;
		sign = next;
	}
	*(in_file ? &p->file : &p->function) = probe_unquote(word);
	return check_place(p);
}

/* ---- arguments ---- */

static struct strobe_error *parse_argument(char *word, struct probe_argument *ret)
{
	char *sign = find_any(word, "=");
	if (*sign) {
		*sign = 0;
		ret->name = word;
		word = sign + 1;
		TRY(check_name(ret->name, "an argument"));
	}
	char *user = strstr(word, "@user");
	if (user && !user[strlen("@user")]) {
		*user = 0;
		ret->in_user_memory = true;
	}
	char *colon = strchr(word, ':');
	if (colon) {
		*colon = 0;
		ret->type = colon + 1;
	}
	ret->value = word;
	if (!*word)
		return error_create(ERROR_USAGE, "the argument '%s' is empty", ret->name ? ret->name : "");
	if (!isalpha((unsigned char)*word) && !strchr("_%$@\\+-", *word))
		return error_create(ERROR_USAGE,
				    "cannot fetch '%s': expected a variable, as p, p->member or p[0], or a %%REGISTER, $retval, "
				    "@SYMBOL, \\NUMBER or +OFFSET(…)", word);
	if (ret->type && !*ret->type)
		return error_create(ERROR_USAGE, "nothing follows the ':' of the argument '%s'", word);
	return NULL;
}

/* "$arg2" */
static bool is_passed(const char *value)
{
	static const char prefix[] = "$arg";
	size_t n = sizeof(prefix) - 1;
	return text_has_prefix(value, prefix) && value[n] && strspn(value + n, "0123456789") == strlen(value + n);
}

struct strobe_error *probe_definition_parse(const char *text, struct arena *arena, struct probe_definition *ret)
{
	*ret = (struct probe_definition){};
	char *rest = arena_strdup(arena, text), *word = next_word(&rest);
	if (!word)
		return error_create(ERROR_USAGE, "the definition of a probe is empty");
	TRY(parse_name(&word, ret));
	TRY(parse_point(word, &ret->point));
	while ((word = next_word(&rest))) {
		struct probe_argument a = {};
		TRY(parse_argument(word, &a));
		vec_push(&ret->arguments, a);
	}
	for (size_t i = 0; ret->point.marker && i < ret->arguments.len; i++)
		if (!is_passed(ret->arguments.data[i].value))
			return error_create(ERROR_USAGE, "a marker has arguments of its own, $arg1, $arg2 …: '%s' is not one of them",
					    ret->arguments.data[i].value);
	return NULL;
}

void probe_definition_deinit(struct probe_definition *d)
{
	vec_deinit(&d->arguments);
}

/* ---- as text ---- */

bool probe_argument_is_variable(const struct probe_argument *a)
{
	static const char retval[] = "$retval";
	bool is_member = text_has_prefix(a->value, retval) && a->value[sizeof(retval) - 1]; /* "$retval->next" */
	return isalpha((unsigned char)*a->value) || *a->value == '_' || is_member || !strcmp(a->value, "$vars") ||
	       !strcmp(a->value, "$params");
}

void probe_argument_text(const struct probe_argument *a, struct strbuf *ret)
{
	bool dereferences = *a->value == '+' || *a->value == '-';
	if (a->name)
		strbuf_addf(ret, "%s=", a->name);
	/* "+u8(%di)" reads the memory of the process, which @user stands for */
	if (a->in_user_memory && dereferences && a->value[1] != 'u')
		strbuf_addf(ret, "%cu%s", *a->value, a->value + 1);
	else
		strbuf_addstr(ret, a->value);
	if (a->type)
		strbuf_addf(ret, ":%s", a->type);
}

void probe_point_text(const struct probe_point *p, struct strbuf *ret)
{
	if (p->marker)
		strbuf_addf(ret, "%%%s", p->marker);
	else if (p->is_address)
		strbuf_addf(ret, "0x%" PRIx64, p->offset);
	if (p->function)
		strbuf_addstr(ret, p->function);
	if (p->function && p->offset)
		strbuf_addf(ret, "+%" PRIu64, p->offset);
	if (p->is_return)
		strbuf_addstr(ret, "%return");
	if (p->function && p->has_line)
		strbuf_addf(ret, ":%" PRIu32, p->line);
	if (p->file)
		strbuf_addf(ret, "@%s", p->file);
	if (!p->function && p->has_line)
		strbuf_addf(ret, ":%" PRIu32, p->line);
	if (p->pattern)
		strbuf_addf(ret, ";%s", p->pattern);
}
