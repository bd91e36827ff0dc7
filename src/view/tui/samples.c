#include "view/tui/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vector.h"

bool samples_are_kept(const struct ui *u, struct strbuf *say)
{
	if (!u->hooks->samples)
		strbuf_addstr(say, "individual samples are not available: use top --record FILE, then report");
	return u->hooks->samples;
}

static bool get(struct ui *u, const struct browse_choice *which, enum browse_detail detail, struct strbuf *ret, struct strbuf *say)
{
	const struct browse_hooks *h = u->hooks;
	struct strobe_error *err = h->samples(h->ctx, which, detail, ret);
	/* Cells know no tabs. */
	for (size_t i = 0; i < ret->len; i++)
		ret->data[i] = ret->data[i] == '\t' ? ' ' : ret->data[i];
	if (err)
		strbuf_addstr(say, err->message);
	else if (!ret->len)
		strbuf_addstr(say, "no samples in this function itself");
	error_destroy(err);
	return !say->len;
}

/* One of them, and what happened around it. */
static void show_context(struct ui *u, const struct browse_choice *which, const char *title, struct strbuf *say)
{
	struct strbuf lines = {}, text = {};
	VEC(const char *) items = {};
	if (get(u, which, DETAIL_LINES, &lines, say)) {
		for (char *at = lines.data, *end; *at; at = end + 1) {
			end = strchr(at, '\n');
			vec_push(&items, at);
			if (!end)
				break;
			*end = '\0';
		}
		int chosen = ui_menu(u, "Around which sample", items.data, (unsigned)items.len);
		struct browse_choice one = *which;
		if (chosen >= 0) {
			one.around = items.data[chosen];
			if (get(u, &one, DETAIL_CONTEXT, &text, say))
				ui_text(u, title, strbuf_str(&text));
		}
	}
	vec_deinit(&items);
	strbuf_deinit(&lines);
	strbuf_deinit(&text);
}

void samples_browse(struct ui *u, const struct browse_choice *which, enum browse_detail detail, const char *title, struct strbuf *say)
{
	struct strbuf text = {};
	if (detail == DETAIL_CONTEXT)
		show_context(u, which, title, say);
	else if (get(u, which, detail, &text, say))
		ui_text(u, title, strbuf_str(&text));
	strbuf_deinit(&text);
}

void samples_ask(struct ui *u, const struct browse_choice *which, const char *title, struct strbuf *say)
{
	static const char *const ways[] = {
		[DETAIL_LINES] = "One line per sample",
		[DETAIL_STACKS] = "With stacks, as script prints them",
		[DETAIL_CODE] = "With their instructions",
		[DETAIL_SOURCE] = "With source files and lines",
		[DETAIL_CONTEXT] = "All samples around one of them",
	};
	int chosen = samples_are_kept(u, say) ? ui_menu(u, title, ways, DETAILS_NR) : -1;
	if (chosen >= 0)
		samples_browse(u, which, (enum browse_detail)chosen, title, say);
}
