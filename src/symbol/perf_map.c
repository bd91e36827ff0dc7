#include "symbol/perf_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "symbol/jit_file.h"
#include "symbol/symbol_priv.h"

#define PERF_MAP_MAX ((size_t)1 << 30)

/* A hex number with or without 0x; *at moves past it. */
static bool read_hex(const char **at, const char *end, uint64_t *ret)
{
	const char *p = *at;
	if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;
	size_t digits = text_hex(p, (size_t)(end - p), ret);
	*at = p + digits;
	return digits;
}

static bool skip_blanks(const char **at, const char *end)
{
	const char *p = *at;
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	bool any = p > *at;
	*at = p;
	return any;
}

static void parse_line(struct symtable_builder *b, char *names, size_t *names_bytes, const char *at, const char *end)
{
	struct symtable_entry e = { .binding = STB_GLOBAL, .type = 't', .name = (uint32_t)*names_bytes };
	uint64_t bytes;
	if (end > at && end[-1] == '\r')
		end--;
	if (!read_hex(&at, end, &e.start) || !skip_blanks(&at, end) || !read_hex(&at, end, &bytes) ||
	    !skip_blanks(&at, end) || at == end || !bytes || memchr(at, 0, (size_t)(end - at)))
		return;
	e.end = bytes > UINT64_MAX - e.start ? UINT64_MAX : e.start + bytes;
	memcpy(names + *names_bytes, at, (size_t)(end - at));
	*names_bytes += (size_t)(end - at);
	names[(*names_bytes)++] = 0;
	vec_push(&b->entries, e);
}

void perf_map_parse(const char *text, size_t n, struct symtable *ret, char **ret_names)
{
	struct symtable_builder b = { .ends = SYMTABLE_ENDS_JIT };
	char *names = xmalloc(n + 1);
	size_t names_bytes = 0;
	for (const char *line = text, *end = text + n; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *line_end = newline ? newline : end;
		parse_line(&b, names, &names_bytes, line, line_end);
		line = line_end + 1;
	}
	b.names[0] = (struct symtable_names){ .data = names, .bytes = names_bytes };
	symtable_finish(&b, ret);
	symtable_builder_deinit(&b);
	*ret_names = names;
}

static bool load_perf_map(struct dso *d)
{
	const char *path;
	_cleanup_close_ int fd = jit_file_open(d, "/tmp/perf-%u.map", &path);
	if (fd < 0)
		return false;
	_cleanup_strbuf_ struct strbuf text = {};
	_cleanup_error_ struct strobe_error *err = file_read_fd(fd, path, &text, PERF_MAP_MAX);
	if (err) {
		dso_problem(d, "%s", err->message);
		return false;
	}
	char *names;
	perf_map_parse(strbuf_str(&text), text.len, &d->table, &names);
	if (!d->table.entries_nr) {
		free(names);
		symtable_deinit(&d->table);
		dso_problem(d, "%s has no line \"START SIZE NAME\"", path);
		return false;
	}
	d->has_table = true;
	d->own_names = names;
	d->long_name = path;
	return true;
}

const struct symbol_source source_perf_map = { .name = "perf map", .kinds = 1u << MAPPED_ANON, .load = load_perf_map };
