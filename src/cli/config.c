#include "cli/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/sort.h"
#include "cli/config_priv.h"

struct config *config_create(void)
{
	struct config *c = xcalloc(1, sizeof(*c));
	arena_init(&c->arena);
	return c;
}

void config_destroy(struct config *c)
{
	if (!c)
		return;
	vec_deinit(&c->entries);
	vec_deinit(&c->sections);
	arena_deinit(&c->arena);
	free(c);
}

struct scanner {
	const char *text, *at, *end;
	const char *value_end; /* of the last value */
	const char *name; /* of the file */
	unsigned line;
	struct strbuf section;
};

static struct strobe_error *wrong(const struct scanner *s, const char *what)
{
	return error_create(ERROR_FORMAT, "%s:%u: %s", s->name, s->line, what);
}

static int peek(const struct scanner *s)
{
	return s->at < s->end ? (unsigned char)*s->at : -1;
}

static void skip_blanks(struct scanner *s)
{
	while (peek(s) == ' ' || peek(s) == '\t' || peek(s) == '\r')
		s->at++;
}

static void skip_line(struct scanner *s)
{
	while (peek(s) != -1 && peek(s) != '\n')
		s->at++;
}

static void skip_space(struct scanner *s)
{
	for (int c; (c = peek(s)) != -1 && (isspace(c) || c == '#' || c == ';');) {
		if (c == '#' || c == ';') {
			skip_line(s);
			continue;
		}
		s->line += c == '\n';
		s->at++;
	}
}

/* [name] or [name "sub"]: the sub-section keeps its case. */
static struct strobe_error *scan_section(struct scanner *s, struct config *c)
{
	strbuf_reset(&s->section);
	s->at++;
	for (int c; (c = peek(s)) != -1 && (isalnum(c) || c == '-' || c == '.' || c == '_'); s->at++)
		strbuf_addch(&s->section, (char)tolower(c));
	if (!s->section.len)
		return wrong(s, "a section needs a name: [name]");
	skip_blanks(s);
	if (peek(s) == '"') {
		strbuf_addch(&s->section, '.');
		for (s->at++; peek(s) != '"'; s->at++) {
			if (peek(s) == '\\')
				s->at++;
			if (peek(s) == -1 || peek(s) == '\n')
				return wrong(s, "a section's name has no closing quote");
			strbuf_addch(&s->section, (char)peek(s));
		}
		s->at++;
		skip_blanks(s);
	}
	if (peek(s) != ']')
		return wrong(s, "a section's name has no closing bracket");
	s->at++;
	vec_push(&c->sections, ((struct config_section){ arena_strdup(&c->arena, strbuf_str(&s->section)), (size_t)(s->at - s->text) }));
	return NULL;
}

static int unescape(int c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case '"':
	case '\\':
		return c;
	default:
		return -1;
	}
}

/* Up to the end of the line or a comment; quotes keep blanks, a backslash at the end joins lines. */
static struct strobe_error *scan_value(struct scanner *s, struct strbuf *value)
{
	bool quoted = false;
	size_t keep = 0; /* length without trailing blanks */
	skip_blanks(s);
	s->value_end = s->at;
	for (int c; (c = peek(s)) != -1 && c != '\n'; s->at++) {
		if (!quoted && (c == '#' || c == ';'))
			break;
		if (c == '"') {
			quoted = !quoted;
			keep = value->len;
			s->value_end = s->at + 1;
			continue;
		}
		if (c == '\\') {
			s->at++;
			if (peek(s) == '\n') {
				s->line++;
				continue;
			}
			c = unescape(peek(s));
			if (c < 0)
				return wrong(s, "unknown escape in a value");
		}
		strbuf_addch(value, (char)c);
		if (quoted || !isspace(c)) {
			keep = value->len;
			s->value_end = s->at + 1;
		}
	}
	if (quoted)
		return wrong(s, "a value has no closing quote");
	skip_line(s);
	if (value->data) {
		value->len = keep;
		value->data[keep] = 0;
	}
	return NULL;
}

static struct strobe_error *scan_entry(struct scanner *s, struct config *c)
{
	_cleanup_strbuf_ struct strbuf key = {}, value = {};
	if (!s->section.len)
		return wrong(s, "a key precedes the first [section]");
	strbuf_addf(&key, "%s.", strbuf_str(&s->section));
	size_t start = key.len;
	for (int ch; (ch = peek(s)) != -1 && (isalnum(ch) || ch == '-' || ch == '_'); s->at++)
		strbuf_addch(&key, (char)tolower(ch));
	if (key.len == start)
		return wrong(s, "neither a [section] nor a key = value");
	struct config_entry entry = { .value_at = (size_t)(s->at - s->text), .is_bare = true };
	s->value_end = s->at;
	skip_blanks(s);
	if (peek(s) == '=') {
		s->at++;
		skip_blanks(s);
		entry.value_at = (size_t)(s->at - s->text);
		entry.is_bare = false;
		TRY(scan_value(s, &value));
	} else if (peek(s) == '\n' || peek(s) == -1 || peek(s) == '#' || peek(s) == ';') {
		strbuf_addstr(&value, "true");
	} else {
		return wrong(s, "a key must be followed by = value");
	}
	entry.key = arena_strdup(&c->arena, strbuf_str(&key));
	entry.value = arena_strdup(&c->arena, strbuf_str(&value));
	entry.value_end = (size_t)(s->value_end - s->text);
	vec_last(&c->sections).end = (size_t)(s->at - s->text);
	vec_push(&c->entries, entry);
	return NULL;
}

struct strobe_error *config_parse(struct config *c, const char *name, const char *text, size_t bytes)
{
	struct scanner s = { .text = text, .at = text, .end = text + bytes, .name = name, .line = 1 };
	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		s.at += 3;
	struct strobe_error *err = NULL;
	for (;;) {
		skip_space(&s);
		if (err || peek(&s) == -1)
			break;
		err = peek(&s) == '[' ? scan_section(&s, c) : scan_entry(&s, c);
	}
	strbuf_deinit(&s.section);
	return err;
}

struct strobe_error *config_load_file(struct config *c, const char *path, bool check_owner)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || (check_owner && errno == EACCES)))
		return NULL;
	if (fd < 0)
		return error_errno(errno, "cannot read the settings in %s", path);
	struct stat st;
	if (fstat(fd, &st) < 0)
		return error_errno(errno, "cannot read the settings in %s", path);
	if (check_owner && st.st_uid && st.st_uid != geteuid()) {
		log_warn("%s belongs to neither you nor root and is ignored", path);
		return NULL;
	}
	_cleanup_strbuf_ struct strbuf text = {};
	TRY(file_read_fd(fd, path, &text, CONFIG_FILE_MAX_BYTES));
	return config_parse(c, path, strbuf_str(&text), text.len);
}

static char *home_path(const char *name)
{
	const char *home = getenv("HOME");
	return home && home[0] == '/' ? xasprintf("%s/%s", home, name) : NULL;
}

static struct strobe_error *load_home(struct config *c, const char *name)
{
	_cleanup_free_ char *path = home_path(name);
	return path ? config_load_file(c, path, true) : NULL;
}

/* The file to read instead of all others, or NULL. */
static const char *only_file(enum config_scope scope)
{
	const char *only = getenv("STROBE_CONFIG");
	if (!only)
		only = getenv("PERF_CONFIG");
	return scope == CONFIG_ALL && only && *only ? only : NULL;
}

static struct strobe_error *load_all(struct config *c, enum config_scope scope)
{
	const char *only = only_file(scope);
	if (only)
		return config_load_file(c, only, false);
	if (scope != CONFIG_USER)
		TRY(config_load_file(c, CONFIG_SYSTEM_FILE, false));
	if (scope == CONFIG_SYSTEM)
		return NULL;
	TRY(load_home(c, ".perfconfig"));
	return load_home(c, ".strobeconfig");
}

struct strobe_error *config_load(enum config_scope scope, struct config **ret)
{
	*ret = config_create();
	struct strobe_error *err = load_all(*ret, scope);
	if (err) {
		config_destroy(*ret);
		*ret = NULL;
	}
	return err;
}

char *config_path(enum config_scope scope)
{
	const char *only = only_file(scope);
	if (only || scope == CONFIG_SYSTEM)
		return xstrdup(only ? only : CONFIG_SYSTEM_FILE);
	char *own = home_path(".strobeconfig");
	if (!own || !access(own, F_OK))
		return own;
	free(own);
	return home_path(".perfconfig");
}

/* The id of each section is that of its first entry. */
struct config *config_effective(const struct config *c)
{
	struct config *ret = config_create();
	struct strtab names;
	VEC(struct sort_pair) order = {};
	VEC(uint32_t) last = {};
	strtab_init(&names);
	for (size_t i = 0; i < c->entries.len; i++) {
		const char *key = c->entries.data[i].key;
		str_id section = strtab_add_n(&names, key, (size_t)(strrchr(key, '.') + 1 - key)), id = strtab_add(&names, key);
		while (last.len <= id)
			vec_push(&last, UINT32_MAX);
		if (last.data[id] == UINT32_MAX)
			vec_push(&order, ((struct sort_pair){ (uint64_t)section << 32 | id, id }));
		last.data[id] = (uint32_t)i;
	}
	sort_pairs(order.data, order.len);
	for (size_t i = 0; i < order.len; i++) {
		const struct config_entry *e = &c->entries.data[last.data[order.data[i].value]];
		vec_push(&ret->entries, ((struct config_entry){ .key = arena_strdup(&ret->arena, e->key),
								.value = arena_strdup(&ret->arena, e->value) }));
	}
	vec_deinit(&order);
	vec_deinit(&last);
	strtab_deinit(&names);
	return ret;
}

const char *config_get(const struct config *c, const char *key)
{
	for (size_t i = c->entries.len; i-- > 0;)
		if (!strcasecmp(c->entries.data[i].key, key))
			return c->entries.data[i].value;
	return NULL;
}

struct strobe_error *config_bool(const struct config *c, const char *key, bool fallback, bool *ret)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on", "0", "1" };
	const char *value = config_get(c, key);
	*ret = fallback;
	if (!value)
		return NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcasecmp(value, words[i])) {
			*ret = i & 1;
			return NULL;
		}
	return error_create(ERROR_USAGE, "the setting %s is \"%s\"; it must be true or false", key, value);
}

char *config_directory(const struct config *c, const char *key, const char *fallback)
{
	const char *home = getenv("HOME"), *set = config_get(c, key);
	const char *path = set ? set : fallback;
	if (path[0] != '~' || path[1] != '/')
		return xstrdup(path);
	return home && *home ? xasprintf("%s%s", home, path + 1) : NULL;
}

size_t config_count(const struct config *c)
{
	return c->entries.len;
}

void config_at(const struct config *c, size_t i, const char **ret_key, const char **ret_value)
{
	*ret_key = c->entries.data[i].key;
	*ret_value = c->entries.data[i].value;
}
