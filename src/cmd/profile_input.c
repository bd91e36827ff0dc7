#include "cmd/profile_input.h"

#include <string.h>

#include "base/filemap.h"
#include "cmd/input.h"
#include "resolve/resolve.h"

/* "PERFILE2" of either byte order, or the first version's magic. */
static bool is_recording(const struct filemap *m)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "ELIFFREP" };
	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (m->bytes >= 8 && !memcmp(m->data, magics[i], 8))
			return true;
	return false;
}

static struct strobe_error *aggregate(struct cmd_context *ctx, const struct profile_input *input, struct profile **ret)
{
	static const char *const keys[] = { "comm", "pid", "tid", "cpu", "cgroup" };
	struct record_source *source;
	struct symbols_options symbols = { .use_modules = true };
	struct resolve_options options = {
		.label_keys = keys,
		.label_keys_nr = sizeof(keys) / sizeof(*keys),
		.with_chains = true,
		.by_address = true,
		.with_inlines = true,
		.with_lines = true,
	};
	TRY(cmd_buildid_dir(ctx, &symbols.buildid_dir));
	TRY(input_open(input->path, input->force, &source));
	struct resolver *resolver = resolver_create(source, symbols, options);
	struct strobe_error *err = resolve_aggregate(resolver, ret);
	if (!err)
		input_remarks(ctx, source, resolver_stats(resolver));
	resolver_destroy(resolver);
	source_destroy(source);
	if (err) {
		profile_destroy(*ret);
		*ret = NULL;
	}
	return err;
}

struct strobe_error *profile_input_read(struct cmd_context *ctx, const struct profile_input *input, struct profile **ret)
{
	struct filemap map;
	*ret = NULL;
	TRY(filemap_open(&map, input->path));
	struct strobe_error *err;
	if (!input->format && is_recording(&map))
		err = aggregate(ctx, input, ret);
	else
		err = exchange_read(map.data, map.bytes, input->path, input->format, ret);
	filemap_close(&map);
	return err;
}
