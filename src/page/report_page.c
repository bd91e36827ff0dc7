#include "page/report_page.h"

#include "base/new_file.h"
#include "page/chart.h"
#include "report/query.h"
#include "session/input.h"
#include "view/svg/flamegraph.h"

struct strobe_error *report_page_make(struct report_session *r, const char *base_path, struct report_page *ret)
{
	const struct selection *from = &r->request.selection;
	*ret = (struct report_page){ .profile = profile_filter(r->profile, report_row_kept, &r->query) };
	ret->options = page_options(&r->query.arena, r->session.source ? r->session.env : NULL, input_path(from->input));
	if (r->shown_events)
		ret->options.event = profile_event_name(ret->profile, report_first_event(r));
	ret->chart = page_chart_read(&r->session, input_path(from->input), &from->symbol_files);
	ret->options.chart = ret->chart;
	TRY(page_read_base(r->session.host, base_path, from->force, &ret->profile, NULL));
	return page_any_code(&r->query.arena, &r->session, ret->profile, &ret->code, &ret->options.code);
}

void report_page_deinit(struct report_page *page)
{
	page_profile_code_destroy(page->code);
	page_chart_destroy(page->chart);
	profile_destroy(page->profile);
}

static struct strobe_error *write_page(void *ctx, struct out *out)
{
	const struct report_page *page = ctx;
	return view_html(page->profile, &page->options, out);
}

struct strobe_error *report_page_write(struct report_session *r, const char *base_path, const char *path)
{
	struct report_page page;
	struct strobe_error *err = report_page_make(r, base_path, &page);
	if (!err)
		err = new_file_write_by(path, write_page, &page);
	report_page_deinit(&page);
	return err;
}

struct picture {
	const struct report_session *r;
	struct profile *kept;
};

static struct strobe_error *write_picture(void *ctx, struct out *out)
{
	const struct picture *picture = ctx;
	struct flamegraph_options options = flamegraph_defaults();
	options.event = report_first_event(picture->r);
	options.count_samples = report_counts_samples(picture->r, options.event);
	return view_flamegraph_svg(picture->kept, &options, out);
}

struct strobe_error *report_flamegraph_write(struct report_session *r, const char *path)
{
	struct picture p = { r, profile_filter(r->profile, report_row_kept, &r->query) };
	struct strobe_error *err = new_file_write_by(path, write_picture, &p);
	profile_destroy(p.kept);
	return err;
}
