/* report --flamegraph: the samples that the report would count, as a picture. */
#include <errno.h>
#include <fcntl.h>

#include "base/cleanup.h"
#include "cmd/report.h"
#include "view/svg/flamegraph.h"

static bool is_kept(void *ctx, const struct profile *p, const struct profile_row *row)
{
	return !report_row_hidden(ctx, p, row);
}

/* The first event that has samples, as `flamegraph` chooses. */
static uint32_t first_event(const struct profile *p)
{
	for (uint32_t i = 0; i < p->events.len; i++)
		if (p->events.data[i].samples)
			return i;
	return 0;
}

static struct strobe_error *write_picture(const struct report_run *r, const struct profile *p, struct out *out)
{
	struct flamegraph_options options = flamegraph_defaults();
	options.event = first_event(p);
	options.count_samples = options.event < r->env->events.len &&
				!(r->env->events.data[options.event].attr.sample_type & PERF_SAMPLE_PERIOD);
	return view_flamegraph_svg(p, &options, out);
}

struct strobe_error *report_write_flamegraph(struct report_run *r)
{
	const char *path = r->o->flamegraph;
	struct out out;
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return error_errno(errno, "cannot write %s", path);
	struct profile *kept = profile_filter(r->profile, is_kept, r);
	out_init_fd(&out, fd);
	struct strobe_error *err = write_picture(r, kept, &out);
	struct strobe_error *closed = error_prefix(out_close(&out), "%s", path);
	profile_destroy(kept);
	if (!err)
		return closed;
	error_destroy(closed);
	return err;
}
