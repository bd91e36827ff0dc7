/* Manual pages: prose from a template, options and synopsis from the tables that also make the parser. */
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/help.h"
#include "cmd/frame.h"
#include "config.h"

#define TEMPLATE_MAX_BYTES (1 << 20)

static void synopsis(struct out *out, const struct cmd *cmd)
{
	const char *const *usage = cmd ? cmd->usage : frame_usage;
	out_str(out, ".nf\n");
	for (size_t i = 0; usage[i]; i++)
		out_f(out, "\\fBstrobe\\fR %s\n", usage[i]);
	out_str(out, ".fi\n");
}

static void commands(struct out *out)
{
	for (const struct cmd *const *c = cmd_all; *c; c++)
		if (!(*c)->hidden)
			out_f(out, ".TP\n.BR strobe\\-%s (1)\n%s\n", (*c)->name, (*c)->summary);
}

static void fill_line(struct out *out, const struct cmd *cmd, const char *line, size_t len)
{
	static const char version[] = "@VERSION@";
	if (len == 10 && !memcmp(line, "@SYNOPSIS@", 10)) {
		synopsis(out, cmd);
	} else if (len == 9 && !memcmp(line, "@OPTIONS@", 9)) {
		help_man_options(out, cmd ? cmd->options : frame_options);
	} else if (len == 10 && !memcmp(line, "@COMMANDS@", 10)) {
		commands(out);
	} else {
		const char *at = memmem(line, len, version, sizeof(version) - 1);
		size_t before = at ? (size_t)(at - line) : len;
		out_write(out, line, before);
		if (at) {
			out_str(out, STROBE_VERSION);
			out_write(out, at + sizeof(version) - 1, len - before - (sizeof(version) - 1));
		}
		out_ch(out, '\n');
	}
}

/* strobe-CMD.1.in → CMD; ret_cmd stays NULL for strobe.1.in. */
static struct strobe_error *command_of(const char *path, const struct cmd **ret_cmd)
{
	const char *base = text_base_name(path);
	*ret_cmd = NULL;
	if (!strcmp(base, "strobe.1.in"))
		return NULL;
	if (text_has_prefix(base, "strobe-") && text_has_suffix(base, ".1.in")) {
		_cleanup_free_ char *name = xstrndup(base + 7, strlen(base) - 7 - 5);
		*ret_cmd = cmd_find(name);
	}
	return *ret_cmd ? NULL : error_create(ERROR_USAGE, "%s is not the template of a command's manual page", base);
}

struct strobe_error *manual_fill(struct out *out, const char *path)
{
	const struct cmd *cmd;
	_cleanup_strbuf_ struct strbuf text = {};
	TRY(command_of(path, &cmd));
	TRY(file_read(path, &text, TEMPLATE_MAX_BYTES));
	for (const char *line = strbuf_str(&text), *end = line + text.len; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t len = (size_t)((newline ? newline : end) - line);
		fill_line(out, cmd, line, len);
		line += len + 1;
	}
	return NULL;
}
