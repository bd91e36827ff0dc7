#include "session/flame_input.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/filemap.h"
#include "exchange/exchange.h"
#include "record/wait.h"
#include "session/input.h"
#include "session/profile_input.h"
#include "session/symbolize.h"

/* ---- what another program wrote ---- */

static struct strobe_error *read_folded(const struct filemap *m, struct folded_form form, struct flame_input *ret)
{
	TRY(folded_read_as(m->data, m->bytes, form, &ret->profile));
	const struct profile *p = ret->profile;
	ret->two_values = form.two_values;
	while (form.two_values && strcmp(profile_event_name(p, ret->base_event), FOLDED_BASE_EVENT))
		ret->base_event++;
	return NULL;
}

static struct strobe_error *read_text(const struct filemap *m, const char *name, const struct flame_input_options *o,
				      struct flame_input *ret)
{
	ret->is_folded = exchange_probe(m->data, m->bytes) == exchange_find("folded");
	if (!ret->is_folded)
		return exchange_read(m->data, m->bytes, name, NULL, &ret->profile);
	struct folded_form form = {
		.two_values = !o->single && folded_has_two_values(m->data, m->bytes),
		.keep_order = o->in_time,
	};
	return error_prefix(read_folded(m, form, ret), "cannot read %s", name);
}

static struct strobe_error *check_foreign(const char *name, const struct flame_input_options *o)
{
	const struct sample_choice *c = &o->choice;
	if (c->cpus || c->comms || c->pids || c->tids || c->times || o->max_stack)
		return error_create(ERROR_USAGE, "%s is not a recording: -C, --comms, --pid=LIST, --tid=LIST, --time and "
			"--max-stack require a recording",
				    name);
	return NULL;
}

static struct strobe_error *name_functions(const struct session_host *host, const char *binary, struct profile **p)
{
	if (binary)
		symbolize_use_binary(*p, binary, NULL);
	return symbolize_for_views(host, p);
}

static struct strobe_error *read_server(const struct session_host *host, const struct flame_input_options *o, struct flame_input *ret)
{
	TRY(check_foreign(o->server.source, o));
	if (o->in_time)
		return error_create(ERROR_UNSUPPORTED, "the samples of %s have no timestamps", o->server.source);
	TRY(profile_fetch(host, &o->server, &ret->profile));
	return name_functions(host, o->binary, &ret->profile);
}

static struct strobe_error *read_foreign(const struct session_host *host, const char *path, const struct flame_input_options *o,
					 struct flame_input *ret)
{
	struct filemap map;
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	TRY(check_foreign(name, o));
	TRY(is_stdin ? filemap_open_fd(&map, STDIN_FILENO, name) : filemap_open(&map, path));
	struct strobe_error *err = read_text(&map, name, o, ret);
	filemap_close(&map);
	if (!err)
		err = name_functions(host, o->binary, &ret->profile);
	if (!err)
		profile_input_remarks(host, name, ret->profile);
	if (!err && o->in_time && !ret->is_folded && !ret->profile->log.len)
		err = error_create(ERROR_UNSUPPORTED, "the samples of %s have no timestamps", name);
	return err;
}

/* ---- recordings ---- */

static struct strobe_error *aggregate(const struct session_host *host, const char *path, const struct flame_input_options *o,
				       struct flame_input *in)
{
	const char *keys[7] = { "comm", "pid", "tid" };
	uint32_t keys_nr = o->with_tid || o->for_page ? 3 : o->with_pid ? 2 : 1;
	struct session_request request = {
		.choice = o->choice,
		.symbols = o->symbol_files,
		.resolve = {
			.label_keys = keys,
			.with_chains = true,
			.hide_scripts = o->no_scripts,
			.with_inlines = o->inlines || o->for_page,
			.by_address = o->for_page,
			.with_lines = o->for_page,
			.keep_time_log = o->in_time || o->for_page,
			.max_stack = o->max_stack > UINT32_MAX ? UINT32_MAX : (uint32_t)o->max_stack,
		},
	};
	struct strobe_error *damage;
	TRY(session_open(&in->session, host, path, o->force));
	request.resolve.waits_as_frames = env_has_waits(in->session.env);
	if (request.resolve.waits_as_frames) {
		keys[keys_nr++] = "state";
		keys[keys_nr++] = "reason";
	}
	if (o->with_wakers && !request.resolve.waits_as_frames)
		return error_create(ERROR_UNSUPPORTED, "%s has no wakers of waits: record them with 'record --wall'", input_path(path));
	if (o->with_wakers) {
		keys[keys_nr++] = "waker";
		keys[keys_nr++] = "waker_stack";
	}
	request.resolve.label_keys_nr = keys_nr;
	TRY(session_resolve(&in->session, &request));
	TRY(session_aggregate(&in->session, &damage));
	in->profile = take_ptr(in->session.profile);
	return damage;
}

struct strobe_error *flame_input_read(const struct session_host *host, const char *path, const struct flame_input_options *o,
				      struct flame_input *ret)
{
	*ret = (struct flame_input){ .path = input_path(path) };
	arena_init(&ret->arena);
	if (o->server.source) {
		ret->path = o->server.source;
		return read_server(host, o, ret);
	}
	if (input_is_foreign(ret->path))
		return read_foreign(host, ret->path, o, ret);
	return aggregate(host, path, o, ret);
}

void flame_input_close(struct flame_input *in)
{
	profile_destroy(in->profile);
	session_close(&in->session);
	arena_deinit(&in->arena);
}
