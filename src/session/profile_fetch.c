#include "session/profile_fetch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/text.h"
#include "exchange/exchange.h"

#define TIMEOUT_S 60
#define INSECURE "https+insecure://"

static bool is_file(const char *path)
{
	struct stat st;
	return !strcmp(path, "-") || !stat(path, &st);
}

/* "host:port/…" without a scheme is one, too, if there is no such file. */
bool profile_fetch_is_server(const char *source)
{
	if (net_is_url(source) || text_has_prefix(source, INSECURE))
		return true;
	const char *colon = strchr(source, ':'), *slash = strchr(source, '/');
	return colon && colon > source && (!slash || colon < slash) && colon[1] >= '0' && colon[1] <= '9' && !is_file(source);
}

/* The complete URL, with scheme, path and duration of the measurement. */
static const char *full_url(struct arena *a, const char *source, int64_t seconds)
{
	bool has_scheme = strstr(source, "://") != NULL;
	const char *url = text_has_prefix(source, INSECURE) ? arena_printf(a, "https://%s", source + strlen(INSECURE)) :
		has_scheme ? source : arena_printf(a, "http://%s", source);
	const char *host = strstr(url, "://") + 3, *path = strpbrk(host, "/?");
	if (!path || !strcmp(path, "/"))
		url = arena_printf(a, "%.*s/debug/pprof/profile", (int)(path ? path - url : (ptrdiff_t)strlen(url)), url);
	if (seconds > 0 && !strstr(url, "seconds="))
		url = arena_printf(a, "%s%cseconds=%" PRId64, url, strchr(url, '?') ? '&' : '?', seconds);
	return url;
}

/* The duration of the measurement, if the URL has it. */
static int64_t seconds_of(const char *url)
{
	const char *said = strstr(url, "seconds=");
	if (said)
		return strtoll(said + strlen("seconds="), NULL, 10);
	return strstr(url, "/debug/pprof/profile") ? 30 : 0;
}

static struct net_options options_for(const struct profile_fetch *s, int64_t measures)
{
	return (struct net_options){
		.timeout_s = s->timeout_s > 0 ? (double)s->timeout_s : measures ? (double)measures * 1.5 + 5 : TIMEOUT_S,
		.insecure = text_has_prefix(s->source, INSECURE),
		.cert = s->tls_cert,
		.key = s->tls_key,
		.ca = s->tls_ca,
	};
}

struct strobe_error *profile_fetch_names(const struct profile_fetch *s, const char *addresses, struct net_body *ret)
{
	static const char of_go[] = "/debug/pprof/";
	static const char *const beside[] = {
		"/pprof/heap", "/pprof/growth", "/pprof/profile", "/pprof/pmuprofile", "/pprof/contention",
	};
	struct net_options options = options_for(s, 0);
	struct arena arena;
	arena_init(&arena);
	const char *url = full_url(&arena, s->source, 0), *path = strchr(strstr(url, "://") + 3, '/');
	size_t n = strcspn(url, "?"), keep = path ? (size_t)(path - url) : n;
	const char *name = "symbolz", *go = path ? strstr(path, of_go) : NULL;
	if (go && go < url + n) { /* whatever profile it is */
		keep = (size_t)(go - url) + strlen(of_go) - 1;
		name = "symbol";
	}
	for (size_t i = 0; i < sizeof(beside) / sizeof(*beside); i++) {
		size_t tail = strlen(beside[i]);
		if (n < tail || memcmp(url + n - tail, beside[i], tail))
			continue;
		keep = n - tail + strlen("/pprof");
		name = "symbol";
	}
	options.post = addresses;
	struct strobe_error *err = net_fetch(arena_printf(&arena, "%.*s/%s", (int)keep, url, name), &options, ret);
	arena_deinit(&arena);
	return err;
}

static struct strobe_error *looks_like_html(const struct net_body *body)
{
	size_t at = 0;
	while (at < body->bytes && strchr(" \t\r\n", body->data[at]))
		at++;
	if (at < body->bytes && body->data[at] == '<')
		return error_create(ERROR_FORMAT, "the server sent an HTML page; profiles of Go programs are at /debug/pprof/…");
	return NULL;
}

static struct strobe_error *fetch(const struct session_host *host, const struct profile_fetch *s, const char *url, struct profile **ret)
{
	int64_t measures = seconds_of(url);
	struct net_options options = options_for(s, measures);
	struct net_body body;
	session_progress(host, "Fetching profile over HTTP from %s", url);
	if (measures)
		session_progress(host, "Please wait... (%" PRId64 "s)", measures);
	TRY(net_fetch(url, &options, &body));
	struct strobe_error *err = exchange_read_value(body.data, body.bytes, url, NULL, NULL, ret);
	struct strobe_error *html = err ? looks_like_html(&body) : NULL;
	free(body.data);
	if (!html)
		return err;
	error_destroy(err);
	return error_prefix(html, "cannot read %s", url);
}

struct strobe_error *profile_fetch(const struct session_host *host, const struct profile_fetch *s, struct profile **ret)
{
	struct arena arena;
	arena_init(&arena);
	struct strobe_error *err = fetch(host, s, full_url(&arena, s->source, s->seconds), ret);
	arena_deinit(&arena);
	return err;
}
