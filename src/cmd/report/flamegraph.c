/* report --flamegraph: the samples that the report would count, as a picture. */
#include "base/new_file.h"
#include "cmd/report/run.h"
#include "view/svg/flamegraph.h"

struct picture {
	const struct report_session *r;
	struct profile *kept;
};

static struct strobe_error *write_picture(void *ctx, struct out *out)
{
	const struct picture *picture = ctx;
	const struct report_session *r = picture->r;
	const struct profile *p = picture->kept;
	struct flamegraph_options options = flamegraph_defaults();
	options.event = report_first_event(r);
	options.count_samples = report_counts_samples(r, options.event);
	return view_flamegraph_svg(p, &options, out);
}

struct strobe_error *report_write_flamegraph(struct report_session *r, const char *path)
{
	struct picture p = { r, profile_filter(r->profile, report_row_kept, &r->query) };
	struct strobe_error *err = new_file_write_by(path, write_picture, &p);
	profile_destroy(p.kept);
	return err;
}
