#include "view/svg/name_files.h"

#include <stdio.h>
#include <stdlib.h>

/* The name with its mark if the table has that, else without; IDSET_NONE: neither. */
static str_id find_name(const struct strtab *names, const char *name, enum name_kind kind)
{
	_cleanup_strbuf_ struct strbuf marked = {};
	str_id id = IDSET_NONE;
	if (*name_kind_mark(kind)) {
		strbuf_addf(&marked, "%s%s", name, name_kind_mark(kind));
		id = strtab_find(names, strbuf_str(&marked));
	}
	return id != IDSET_NONE ? id : strtab_find(names, name);
}

/* ---- attributes ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_attribute_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == ':' || c == '.';
}

/* The length of an entity predefined in XML, or 0. */
static size_t entity_bytes(const char *s)
{
	static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(s, known[i], strlen(known[i])))
			return strlen(known[i]);
	size_t n = !strncmp(s, "&#", 2) ? strspn(s + 2, "0123456789") : 0;
	return n && n < 7 && s[2 + n] == ';' && strtoul(s + 2, NULL, 10) >= 0x20 ? n + 3 : 0;
}

/* The name of an attribute that is valid XML and differs from those seen before. */
static bool take_attribute_name(const char *s, size_t n, struct strtab *seen)
{
	_cleanup_strbuf_ struct strbuf name = {};
	strbuf_add(&name, s, n);
	const char *text = strbuf_str(&name), *colon = strchr(text, ':');
	if (!n || (*text >= '0' && *text <= '9') || *text == '-' || *text == '.' || strtab_find(seen, text) != IDSET_NONE)
		return false;
	/* other prefixes are not declared */
	if (colon && (strchr(colon + 1, ':') || !colon[1] || (strncmp(text, "xlink:", 6) && strncmp(text, "xml:", 4))))
		return false;
	strtab_add(seen, text);
	return true;
}

/* The end of a quoted value that is valid within an attribute, or NULL. */
static const char *skip_value(const char *s)
{
	char quote = *s++;
	if (quote != '"' && quote != '\'')
		return NULL;
	for (size_t step; *s && *s != quote; s += step) {
		step = *s == '&' ? entity_bytes(s) : 1;
		if (!step || *s == '<' || (unsigned char)*s < 0x20)
			return NULL;
	}
	return *s ? s + 1 : NULL;
}

/* Attributes as XML has them: name="value" or name='value'. They stay as they are, or are rejected. */
static bool are_xml_attributes(const char *s, struct strtab *seen)
{
	for (;;) {
		while (is_blank(*s))
			s++;
		if (!*s)
			return true;
		const char *name = s;
		while (is_attribute_letter(*s))
			s++;
		if (*s != '=' || !take_attribute_name(name, (size_t)(s - name), seen) || !(s = skip_value(s + 1)) || (*s && !is_blank(*s)))
			return false;
	}
}

/* taken: attributes that the frame already has. */
static bool check_extra(const char *s, const char *const taken[3])
{
	struct strtab seen;
	strtab_init(&seen);
	for (int i = 0; i < 3; i++)
		strtab_add(&seen, taken[i]);
	bool ok = are_xml_attributes(s, &seen);
	strtab_deinit(&seen);
	return ok;
}

static struct strobe_error *take_pair(struct name_attributes *a, struct frame_attributes *f, const char *pair, size_t n)
{
	const char *equals = memchr(pair, '=', n);
	static const char *const of_group[] = { "id", "class", "" }, *const of_link[] = { "href", "xlink:href", "target" };
	const struct {
		const char *name, **value;
		const char *const *taken; /* of XML: what it cannot have */
	} rows[] = {
		{ "id", &f->id, NULL },          { "class", &f->class, NULL },   { "title", &f->title, NULL },
		{ "href", &f->href, NULL },      { "target", &f->target, NULL }, { "g_extra", &f->g_extra, of_group },
		{ "a_extra", &f->a_extra, of_link },
	};
	if (!equals)
		return error_create(ERROR_FORMAT, "'%.*s' is not of the form name=value", (int)(n < 100 ? n : 100), pair);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strlen(rows[i].name) != (size_t)(equals - pair) || memcmp(rows[i].name, pair, strlen(rows[i].name)))
			continue;
		char *value = arena_strndup(&a->arena, equals + 1, n - (size_t)(equals + 1 - pair));
		if (rows[i].taken && !check_extra(value, rows[i].taken))
			return error_create(ERROR_FORMAT, "%s is not a list of XML attributes: %s", rows[i].name, value);
		*rows[i].value = value;
	}
	return NULL; /* other names are ignored, as in flamegraph.pl */
}

static struct strobe_error *take_line(struct name_attributes *a, const char *line, size_t n)
{
	const char *end = line + n, *tab = memchr(line, '\t', n);
	if (!tab)
		return error_create(ERROR_FORMAT, "a tab must follow each name");
	struct frame_attributes f = { .g_extra = "", .a_extra = "" };
	for (const char *at = tab + 1, *next; at < end; at = next + 1) {
		next = memchr(at, '\t', (size_t)(end - at));
		next = next ? next : end;
		TRY(take_pair(a, &f, at, (size_t)(next - at)));
	}
	str_id id = strtab_add_n(&a->names, line, (size_t)(tab - line));
	while (a->of.len <= id)
		vec_push(&a->of, ((struct frame_attributes){}));
	a->of.data[id] = f;
	return NULL;
}

struct strobe_error *name_attributes_read(const struct lines *lines, struct name_attributes *ret)
{
	arena_init(&ret->arena);
	strtab_init(&ret->names);
	memset(&ret->of, 0, sizeof(ret->of));
	for (size_t i = 1; i <= lines_count(lines); i++) {
		size_t n;
		const char *line = lines_get(lines, i, &n);
		if (n)
			TRY(error_prefix(take_line(ret, line, n), "line %zu", i));
	}
	return NULL;
}

void name_attributes_deinit(struct name_attributes *a)
{
	vec_deinit(&a->of);
	strtab_deinit(&a->names);
	arena_deinit(&a->arena);
}

const struct frame_attributes *name_attributes_of(const struct name_attributes *a, const char *name, enum name_kind kind)
{
	str_id id = find_name(&a->names, name, kind);
	return id < a->of.len && a->of.data[id].g_extra ? &a->of.data[id] : NULL;
}

/* ---- colours ---- */

static uint32_t *colour_at(struct name_colours *c, str_id id)
{
	while (c->rgb.len <= id)
		vec_push(&c->rgb, 0);
	return &c->rgb.data[id];
}

/* "name->rgb(1,2,3)"; other lines are ignored: the file may come from another program. */
static void take_colour(struct name_colours *c, const char *line, size_t n)
{
	static const char arrow[] = "->rgb(";
	const char *at = NULL, *end = line + n;
	unsigned r, g, b;
	char text[32], closing;
	for (const char *p = line; p && p < end; p++)
		if ((p = memmem(p, (size_t)(end - p), arrow, strlen(arrow))))
			at = p;
		else
			break;
	if (!at || (size_t)(end - at) >= sizeof(text) || memchr(line, 0, (size_t)(at - line)))
		return;
	memcpy(text, at, (size_t)(end - at));
	text[end - at] = 0;
	if (sscanf(text, "->rgb(%3u,%3u,%3u%c", &r, &g, &b, &closing) != 4 || closing != ')' || r > 255 || g > 255 || b > 255)
		return;
	*colour_at(c, strtab_add_n(&c->names, line, (size_t)(at - line))) = 0x1000000 | r << 16 | g << 8 | b;
}

void name_colours_read(const struct lines *lines, struct name_colours *ret)
{
	strtab_init(&ret->names);
	memset(&ret->rgb, 0, sizeof(ret->rgb));
	for (size_t i = 1; i <= lines_count(lines); i++) {
		size_t n;
		const char *line = lines_get(lines, i, &n);
		take_colour(ret, line, n);
	}
}

void name_colours_deinit(struct name_colours *c)
{
	vec_deinit(&c->rgb);
	strtab_deinit(&c->names);
}

uint32_t *name_colours_at(struct name_colours *c, const char *name, enum name_kind kind)
{
	str_id id = find_name(&c->names, name, kind);
	return colour_at(c, id != IDSET_NONE ? id : strtab_add(&c->names, name));
}

struct named_colour {
	const char *name;
	uint32_t rgb;
};

static int compare_names(const void *a, const void *b)
{
	const struct named_colour *x = a, *y = b;
	return strcmp(x->name, y->name);
}

void name_colours_write(const struct name_colours *c, struct out *out)
{
	VEC(struct named_colour) all = {}; /* names of one table: no two are alike */
	for (str_id id = 0; id < c->rgb.len; id++)
		if (c->rgb.data[id])
			vec_push(&all, ((struct named_colour){ strtab_get(&c->names, id), c->rgb.data[id] }));
	if (all.len)
		qsort(all.data, all.len, sizeof(*all.data), compare_names);
	for (size_t i = 0; i < all.len; i++) {
		uint32_t rgb = all.data[i].rgb;
		if (strchr(all.data[i].name, '\n')) /* would be two lines */
			continue;
		out_str(out, all.data[i].name);
		out_f(out, "->rgb(%u,%u,%u)\n", rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255);
	}
	vec_deinit(&all);
}
