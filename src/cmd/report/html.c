/* report --html and --web: the samples that the report would count, as a page. */
#include "cmd/report/run.h"
#include "cmd/serve.h"
#include "page/page.h"
#include "session/input.h"

struct page {
	struct profile *profile;
	struct html_options options;
};

static struct strobe_error *make_page(struct report_run *r, struct page *page)
{
	page->profile = profile_filter(r->profile, report_row_kept, &r->query);
	page->options = page_options(&r->query.arena, r->env, input_path(r->o->selection.input));
	page->options.code = page_code(&r->query.arena, r->env, r->resolver);
	return page_read_base(cmd_host(r->ctx), r->o->diff_base, r->o->selection.force, &page->profile, NULL);
}

static struct strobe_error *write_page(void *ctx, struct out *out)
{
	const struct page *page = ctx;
	return view_html(page->profile, &page->options, out);
}

struct strobe_error *report_write_html(struct report_run *r)
{
	struct page page = {};
	struct strobe_error *err = make_page(r, &page);
	if (!err)
		err = cmd_write_file(r->o->html, write_page, &page);
	profile_destroy(page.profile);
	return err;
}

struct strobe_error *report_serve(struct report_run *r)
{
	struct page page = {};
	struct strobe_error *err = make_page(r, &page);
	struct web_profile profile = { .name = page.options.title, .profile = page.profile, .options = page.options };
	if (!err)
		err = serve(r->ctx, &(struct web_options){ .address = r->o->http, .profiles = &profile, .profiles_nr = 1 });
	profile_destroy(page.profile);
	return err;
}
