#include "session/session.h"

#include "base/cleanup.h"
#include "record/offcpu.h"
#include "session/input.h"
#include "session/symbols.h"

void session_open_source(struct session *s, const struct session_host *host, struct record_source *source, bool force)
{
	*s = (struct session){ .host = host, .source = source, .reader = source, .env = source_env(source), .force = force };
	arena_init(&s->arena);
}

struct strobe_error *session_open(struct session *s, const struct session_host *host, const char *path, bool force)
{
	struct record_source *source;
	*s = (struct session){};
	TRY(input_open(path, force, &source));
	session_open_source(s, host, source, force);
	session_read_embedded(s);
	return NULL;
}

void session_read_embedded(struct session *s)
{
	if (!offcpu_is_embedded(s->env))
		return;
	s->source = offcpu_create(s->source);
	s->env = source_env(s->source);
}

static void forget_resolved(struct session *s)
{
	profile_destroy(take_ptr(s->profile));
	resolver_destroy(take_ptr(s->resolver));
	foreign_files_destroy(take_ptr(s->foreign));
}

struct strobe_error *session_resolve(struct session *s, const struct session_request *request)
{
	struct symbols_options symbols = request->symbols;
	struct resolve_options options = request->resolve;
	forget_resolved(s);
	TRY(session_symbols(s->host, s->env, s->force, &symbols, &s->foreign));
	if (request->filter)
		s->filter = *request->filter;
	else
		TRY(sample_choice_parse(&request->choice, s->env, &s->arena, &s->filter));
	options.filter = s->filter;
	s->resolver = resolver_create(s->source, symbols, options);
	return NULL;
}

struct strobe_error *session_count(struct session *s)
{
	forget_resolved(s);
	s->resolver = resolver_create(s->source, (struct symbols_options){}, (struct resolve_options){});
	struct strobe_error *err = resolve_count(s->resolver);
	machine_seal(resolver_machine(s->resolver));
	return err;
}

struct strobe_error *session_aggregate(struct session *s, struct strobe_error **ret_damage)
{
	*ret_damage = NULL;
	profile_destroy(take_ptr(s->profile));
	struct strobe_error *err = resolve_aggregate(s->resolver, &s->profile);
	if (!s->profile || error_is(err, ERROR_STOPPED))
		return err;
	*ret_damage = err;
	return NULL;
}

void session_remarks(const struct session *s, bool verbose)
{
	if (!s->source)
		return;
	input_remarks(s->host, s->reader, s->resolver ? resolver_stats(s->resolver) : NULL);
	if (s->resolver)
		symbols_remarks(s->host, resolver_symbols(s->resolver), s->env, verbose);
}

void session_close(struct session *s)
{
	forget_resolved(s);
	source_destroy(s->source);
	arena_deinit(&s->arena);
	*s = (struct session){};
}
