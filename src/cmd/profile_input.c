#include "cmd/profile_input.h"

#include "base/filemap.h"
#include "cmd/input.h"
#include "resolve/resolve.h"

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
	TRY(input_open(input->path, input->force, &source));
	struct strobe_error *options_err = cmd_symbols_options(ctx, source_env(source), input->force, &symbols);
	if (options_err) {
		source_destroy(source);
		return options_err;
	}
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
	if (!input->format && !input_is_foreign(input->path))
		return aggregate(ctx, input, ret);
	TRY(filemap_open(&map, input->path));
	struct strobe_error *err = exchange_read_value(map.data, map.bytes, input->path, input->format, input->value, ret);
	filemap_close(&map);
	return err;
}
