/* report --html and --web: the samples that the report would count, as a page. */
#include "base/new_file.h"
#include "cmd/report/run.h"
#include "cmd/serve.h"
#include "page/chart.h"
#include "page/page.h"
#include "session/input.h"

struct page {
	struct profile *profile;
	struct html_options options;
	struct time_chart *chart;
	struct page_profile_code *code; /* of a profile that another program wrote */
};

static struct strobe_error *make_page(struct report_session *r, const struct report_options *o, struct page *page)
{
	page->profile = profile_filter(r->profile, report_row_kept, &r->query);
	page->options = page_options(&r->query.arena, r->session.source ? r->session.env : NULL, input_path(r->request.selection.input));
	if (r->shown_events)
		page->options.event = profile_event_name(page->profile, report_first_event(r));
	page->chart = page_chart_read(&r->session, input_path(r->request.selection.input), &r->request.selection.symbol_files);
	page->options.chart = page->chart;
	TRY(page_read_base(r->session.host, o->diff_base, r->request.selection.force, &page->profile, NULL));
	return page_any_code(&r->query.arena, &r->session, page->profile, &page->code, &page->options.code);
}

static struct strobe_error *write_page(void *ctx, struct out *out)
{
	const struct page *page = ctx;
	return view_html(page->profile, &page->options, out);
}

struct strobe_error *report_write_html(struct report_session *r, const struct report_options *o)
{
	struct page page = {};
	struct strobe_error *err = make_page(r, o, &page);
	if (!err)
		err = new_file_write_by(o->html, write_page, &page);
	page_profile_code_destroy(page.code);
	page_chart_destroy(page.chart);
	profile_destroy(page.profile);
	return err;
}

struct strobe_error *report_serve(struct report_session *r, struct cmd_context *ctx, const struct report_options *o)
{
	struct page page = {};
	struct strobe_error *err = make_page(r, o, &page);
	struct web_profile profile = { .name = page.options.title, .profile = page.profile, .options = page.options };
	if (!err)
		err = serve(ctx, &(struct web_options){ .address = o->http, .profiles = &profile, .profiles_nr = 1 });
	page_profile_code_destroy(page.code);
	page_chart_destroy(page.chart);
	profile_destroy(page.profile);
	return err;
}
