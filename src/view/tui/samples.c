#include "view/tui/samples.h"

#include <string.h>

#include "base/mem.h"
#include "base/vector.h"

bool samples_are_kept(const struct ui *u, struct strbuf *say)
{
	if (!u->hooks->samples)
		strbuf_addstr(say, "individual samples are not available: use top --record FILE, then report");
	return u->hooks->samples;
}

static bool get(struct ui *u, const struct listed_choice *which, enum listed_detail detail, struct listed_samples *ret, struct strbuf *say)
{
	const struct browse_hooks *h = u->hooks;
	struct strobe_error *err = h->samples(h->ctx, which, detail, ret);
	/* Cells know no tabs. */
	for (size_t i = 0; i < ret->text.len; i++)
		ret->text.data[i] = ret->text.data[i] == '\t' ? ' ' : ret->text.data[i];
	if (err)
		strbuf_addstr(say, err->message);
	else if (!ret->all.len)
		strbuf_addstr(say, "no samples in this function itself");
	error_destroy(err);
	return !say->len;
}

/* One of them, and what happened around it. */
static void show_context(struct ui *u, const struct listed_choice *which, const char *title, struct strbuf *say)
{
	struct listed_samples lines = {}, context = {};
	VEC(const char *) items = {};
	if (get(u, which, DETAIL_LINES, &lines, say)) {
		for (size_t i = 0; i < lines.all.len; i++) {
			char *line = lines.text.data + lines.all.data[i].at;
			line[strcspn(line, "\n")] = '\0';
			vec_push(&items, line);
		}
		int chosen = ui_menu(u, "Around which sample", items.data, (unsigned)items.len);
		struct listed_choice one = *which;
		if (chosen >= 0) {
			one.around = &lines.all.data[chosen];
			if (get(u, &one, DETAIL_CONTEXT, &context, say))
				ui_text(u, title, strbuf_str(&context.text));
		}
	}
	vec_deinit(&items);
	listed_samples_deinit(&lines);
	listed_samples_deinit(&context);
}

void samples_browse(struct ui *u, const struct listed_choice *which, enum listed_detail detail, const char *title, struct strbuf *say)
{
	struct listed_samples samples = {};
	if (detail == DETAIL_CONTEXT)
		show_context(u, which, title, say);
	else if (get(u, which, detail, &samples, say))
		ui_text(u, title, strbuf_str(&samples.text));
	listed_samples_deinit(&samples);
}

void samples_menu(struct ui *u, const struct listed_choice *which, const char *title, struct strbuf *say)
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
		samples_browse(u, which, (enum listed_detail)chosen, title, say);
}
