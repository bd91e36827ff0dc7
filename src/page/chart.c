#include "page/chart.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/timechart_replay.h"
#include "base/mem.h"
#include "page/page.h"
#include "session/input.h"
#include "view/html/chart.h"

/* It is read again, which is not possible for a stream. */
static bool is_file(const char *path)
{
	struct stat st;
	return strcmp(path, "-") && !stat(path, &st) && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

struct time_chart *page_chart_read(const struct session *s, const char *path, const struct symbols_options *symbols)
{
	/* Losses and damage were already reported for the profile. */
	struct session_host host = *s->host;
	host.say = NULL;
	host.progress = NULL;
	if (!s->env || !timechart_has_states(s->env) || !is_file(path))
		return NULL;
	struct timechart_replay_request q = { .host = &host, .input = path, .force = s->force, .symbols = *symbols, .all_states = true };
	struct time_chart *c = xmalloc(sizeof(*c));
	error_destroy(timechart_replay_run(&q, c));
	time_chart_show_all(c);
	return c;
}

void page_chart_destroy(struct time_chart *c)
{
	if (c)
		time_chart_deinit(c);
	free(c);
}

struct strobe_error *page_chart_write(const struct time_chart *c, const char *path, bool force, struct out *out)
{
	static const struct session_host silent;
	struct session s;
	struct arena arena;
	arena_init(&arena);
	bool has_env = is_file(path);
	struct strobe_error *err = has_env ? session_open(&s, &silent, path, force) : NULL;
	struct html_options o = page_options(&arena, has_env && !err ? s.env : NULL, path);
	error_destroy(err);
	err = view_html_chart(c, &o, out);
	if (has_env)
		session_close(&s);
	arena_deinit(&arena);
	return err;
}
