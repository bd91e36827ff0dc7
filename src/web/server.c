#include "web/server.h"

#include "config.h"

#if !HAVE_MICROHTTPD
struct strobe_error *web_server_start(const struct web_options *options, struct web_server **ret)
{
	return error_create(ERROR_UNSUPPORTED, "built without libmicrohttpd: use report --html to write a file");
}

const char *web_server_url(const struct web_server *s)
{
	return "";
}

void web_server_stop(struct web_server *s)
{
}
#else
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "exchange/exchange.h"
#include "sys/peer.h"
#include "web/connections.h"

#define TOKEN_BYTES 16
#define COOKIE "strobe"
#define TOKEN "token"
#define LIVE_INDEX "/debug/pprof/"
#define CONNECTIONS_MAX 48
#define CONNECTIONS_SHUT_MAX 80 /* number of closed connections that may linger before new ones have to wait */
#define REQUEST_MS 10000        /* to receive a complete request */
#define IDLE_SECONDS 30         /* for the client to read an answer */
#define REQUEST_MEMORY 32768

struct mhd {
	__typeof__(&MHD_start_daemon) start_daemon;
	__typeof__(&MHD_stop_daemon) stop_daemon;
	__typeof__(&MHD_create_response_from_buffer) create_response;
	__typeof__(&MHD_add_response_header) add_header;
	__typeof__(&MHD_queue_response) queue_response;
	__typeof__(&MHD_destroy_response) destroy_response;
	__typeof__(&MHD_lookup_connection_value) lookup;
	__typeof__(&MHD_get_connection_values) each_value;
	__typeof__(&MHD_get_connection_info) info;
	__typeof__(&MHD_suspend_connection) suspend;
	__typeof__(&MHD_resume_connection) resume;
};

static const struct library library = {
	.files = { "libmicrohttpd.so.12" },
	.missing = "serving pages requires libmicrohttpd, which is not installed; use report --html to write a file",
};

static struct strobe_error *load(struct mhd *ret)
{
	const struct library_symbol symbols[] = {
		{ &ret->start_daemon, "MHD_start_daemon" },
		{ &ret->stop_daemon, "MHD_stop_daemon" },
		{ &ret->create_response, "MHD_create_response_from_buffer" },
		{ &ret->add_header, "MHD_add_response_header" },
		{ &ret->queue_response, "MHD_queue_response" },
		{ &ret->destroy_response, "MHD_destroy_response" },
		{ &ret->lookup, "MHD_lookup_connection_value" },
		{ &ret->each_value, "MHD_get_connection_values" },
		{ &ret->info, "MHD_get_connection_info" },
		{ &ret->suspend, "MHD_suspend_connection" },
		{ &ret->resume, "MHD_resume_connection" },
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
}

struct web_server {
	struct mhd mhd;
	struct MHD_Daemon *daemon;
	struct web_connections *connections;
	struct web_jobs *jobs; /* NULL: no measurements */
	struct web_options options;
	char *host;
	uint16_t port;
	int fd;
	char token[2 * TOKEN_BYTES + 1]; /* "" on loopback */
	char *url;
};

/* ---- answers ---- */

struct answer {
	unsigned status;
	const char *type;
	const char *policy; /* NULL: that of pages */
	struct strbuf location, cookie; /* empty: none */
	const char *file_name; /* or NULL */
	bool packed;
	struct out body;
};

static const char *unless_empty(const struct strbuf *b)
{
	return b->len ? strbuf_str(b) : NULL;
}

static void add_headers(const struct web_server *s, struct MHD_Response *r, const struct answer *a)
{
	const struct {
		const char *name, *value;
	} headers[] = {
		{ "Content-Type", a->type },
		{ "Content-Security-Policy", a->policy ? a->policy : view_html_live_policy },
		{ "X-Content-Type-Options", "nosniff" },
		{ "X-Frame-Options", "DENY" },
		{ "Referrer-Policy", "no-referrer" },
		{ "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Cross-Origin-Opener-Policy", "same-origin" },
		{ "Cache-Control", "no-store" },
		{ "Location", unless_empty(&a->location) },
		{ "Set-Cookie", unless_empty(&a->cookie) },
		{ "Content-Disposition", a->file_name },
		{ "Content-Encoding", a->packed ? "gzip" : NULL },
	};
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++)
		if (headers[i].value)
			s->mhd.add_header(r, headers[i].name, headers[i].value);
}

static enum MHD_Result send_answer(const struct web_server *s, struct MHD_Connection *c, struct answer *a)
{
	size_t bytes;
	const char *body = out_mem(&a->body, &bytes);
	struct MHD_Response *r = s->mhd.create_response(bytes, (void *)body, MHD_RESPMEM_MUST_COPY);
	enum MHD_Result result = MHD_NO;
	if (r) {
		add_headers(s, r, a);
		result = s->mhd.queue_response(c, a->status, r);
		s->mhd.destroy_response(r);
	}
	return result;
}

static void say(struct answer *a, unsigned status, const char *text)
{
	a->status = status;
	a->type = "text/plain; charset=utf-8";
	out_str(&a->body, text);
	out_ch(&a->body, '\n');
}

static unsigned status_of(const struct strobe_error *err)
{
	switch (err->code) {
	case ERROR_NOT_FOUND:
	case ERROR_UNSUPPORTED:
		return MHD_HTTP_NOT_FOUND;
	case ERROR_PERMISSION:
		return MHD_HTTP_FORBIDDEN;
	case ERROR_USAGE:
		return MHD_HTTP_BAD_REQUEST;
	case ERROR_LIMIT:
		return MHD_HTTP_SERVICE_UNAVAILABLE;
	default:
		return MHD_HTTP_INTERNAL_SERVER_ERROR;
	}
}

static void answer_error(struct answer *a, struct strobe_error *err)
{
	say(a, status_of(err), err->message);
	error_destroy(err);
}

/* ---- requests ---- */

/* A request from its head to its end: libmicrohttpd calls several times. */
struct exchange {
	const struct web_server *server;
	struct MHD_Connection *connection;
	struct web_job *job; /* its measurement, or NULL */
};

struct request {
	const struct web_server *server;
	struct MHD_Connection *connection;
	struct exchange *exchange;
	const struct web_profile *profile; /* the profile of p=N; NULL: invalid */
};

static const char *parameter(const struct request *q, const char *name)
{
	return q->server->mhd.lookup(q->connection, MHD_GET_ARGUMENT_KIND, name);
}

static const char *header(const struct request *q, const char *name)
{
	return q->server->mhd.lookup(q->connection, MHD_HEADER_KIND, name);
}

static void answer_page(const struct request *q, struct answer *a)
{
	const struct web_options *o = &q->server->options;
	const char **names = xcalloc(o->profiles_nr + 1, sizeof(*names));
	for (size_t i = 0; i < o->profiles_nr; i++)
		names[i] = o->profiles[i].name;
	a->type = "text/html; charset=utf-8";
	view_html_live(names, o->profiles_nr, &a->body);
	free(names);
}

static void answer_data(const struct request *q, struct answer *a)
{
	struct out plain;
	size_t bytes;
	struct html_options options = q->profile->options;
	const char *accepts = header(q, "Accept-Encoding");
	options.code.functions_max = 0; /* listed one by one on request */
	out_init_mem(&plain);
	struct strobe_error *err = view_html_data(q->profile->profile, &options, &plain);
	const char *data = out_mem(&plain, &bytes);
	a->type = "application/octet-stream";
	a->packed = !err && options.gzip && accepts && strstr(accepts, "gzip");
	if (a->packed)
		err = options.gzip(data, bytes, &a->body);
	else if (!err)
		out_write(&a->body, data, bytes);
	error_destroy(out_close(&plain));
	if (err) {
		a->packed = false;
		answer_error(a, err);
	}
}

/* The reason for missing code is an answer too: the page shows it instead of the code. */
static void answer_problem(struct answer *a, const char *problem)
{
	struct json j;
	json_init(&j, &a->body, false);
	json_object(&j);
	json_pair_str(&j, "problem", problem);
	json_end(&j);
}

static void answer_listing(const struct request *q, struct answer *a)
{
	const struct html_code *code = &q->profile->options.code;
	const char *text = parameter(q, "f");
	struct strobe_error *err = NULL;
	uint64_t function;
	size_t bytes;
	if (!text || !text_to_u64(text, &function) || function >= q->profile->profile->functions.len) {
		say(a, MHD_HTTP_BAD_REQUEST, "no such function");
		return;
	}
	a->type = "application/json";
	if (code->list)
		err = code->list(code->ctx, q->profile->profile, (function_id)function, &a->body);
	out_mem(&a->body, &bytes);
	if (!bytes)
		answer_problem(a, err ? err->message : "code is not available");
	error_destroy(err);
}

static void send_profile(struct answer *a, const struct profile *p)
{
	struct strobe_error *err = pprof_write(p, &a->body);
	a->type = "application/vnd.google.protobuf+gzip";
	a->file_name = "attachment; filename=\"profile.pb.gz\"";
	if (err) {
		a->file_name = NULL;
		answer_error(a, err);
	}
}

static void answer_download(const struct request *q, struct answer *a)
{
	const struct web_profile *w = q->profile;
	send_profile(a, w->download ? w->download : w->profile);
}

/* ---- measurements ---- */

static void resume(void *ctx)
{
	const struct exchange *x = ctx;
	x->server->mhd.resume(x->connection);
}

static int socket_of(const struct web_server *s, struct MHD_Connection *c)
{
	return s->mhd.info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* Whoever has the token, or is the user of this server, or root. */
static bool may_measure(const struct request *q)
{
	uint32_t uid;
	return q->server->token[0] ||
	       (peer_user(sys_live(), socket_of(q->server, q->connection), &uid) && (!uid || uid == geteuid()));
}

/* The connection waits until the job is done; then its request is answered by answer_measured(). */
static void answer_measure(const struct request *q, struct answer *a)
{
	const struct web_server *s = q->server;
	struct web_measurement m;
	if (!may_measure(q)) {
		say(a, MHD_HTTP_FORBIDDEN, "only the user who started this server may measure processes");
		return;
	}
	struct strobe_error *err = web_measurement_parse(parameter(q, "pid"), parameter(q, "seconds"), parameter(q, "hz"), &m);
	if (err) {
		answer_error(a, err);
		return;
	}
	s->mhd.suspend(q->connection);
	q->exchange->job = web_job_start(s->jobs, &m, socket_of(s, q->connection), resume, q->exchange, &err);
	if (q->exchange->job)
		return;
	s->mhd.resume(q->connection);
	answer_error(a, err);
}

static void answer_measured(struct exchange *x, struct answer *a)
{
	struct profile *p;
	struct strobe_error *err = web_job_take(x->job, &p);
	if (err)
		answer_error(a, err);
	else
		send_profile(a, p);
	profile_destroy(p);
}

static void answer_index(const struct request *q, struct answer *a)
{
	a->type = "text/html; charset=utf-8";
	a->policy = "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
	web_live_index(&a->body);
}

/* ---- which of them ---- */

static const struct route {
	const char *path;
	void (*answer)(const struct request *q, struct answer *a);
	bool needs_profile, is_live;
} routes[] = {
	{ "/flamegraph", answer_page }, { "/flamegraph2", answer_page }, { "/flamegraphold", answer_page }, { "/top", answer_page },
	{ "/tree", answer_page }, { "/peek", answer_page }, { "/graph", answer_page }, { "/source", answer_page },
	{ "/disasm", answer_page }, { "/timeline", answer_page }, { "/heatmap", answer_page }, { "/data", answer_data, true },
	{ "/listing", answer_listing, true }, { "/download", answer_download, true },
	{ LIVE_INDEX, answer_index, .is_live = true }, { "/debug/pprof/profile", answer_measure, .is_live = true },
};

static const struct route *find_route(const struct web_server *s, const char *path)
{
	for (size_t i = 0; i < sizeof(routes) / sizeof(*routes); i++)
		if (!strcmp(path, routes[i].path) && (routes[i].is_live ? s->jobs != NULL : s->options.profiles_nr != 0))
			return &routes[i];
	return NULL;
}

/* The redirection of another address for a page: pprof's pages are below /ui/, the first is the graph. NULL: none. */
static const char *alias(const struct web_server *s, const char *path)
{
	static const char below[] = "/ui";
	if (!strcmp(path, "/"))
		return s->options.profiles_nr ? "/flamegraph" : LIVE_INDEX;
	if (!text_has_prefix(path, below))
		return NULL;
	path += strlen(below);
	const struct route *r = find_route(s, path);
	return !*path || !strcmp(path, "/") ? "/graph" : r ? r->path : NULL;
}

/* The token goes into a cookie and not into the new address. */
static enum MHD_Result add_parameter(void *ctx, enum MHD_ValueKind kind, const char *name, const char *value)
{
	if (strcmp(name, TOKEN))
		web_query_add(ctx, name, value ? value : "");
	return MHD_YES;
}

/* Redirects to one of our paths, never to one from the request. Parameters of the request precede those the server was started with. */
static void lead_to(const struct request *q, const char *path, struct answer *a)
{
	const char *start = q->server->options.query;
	_cleanup_strbuf_ struct strbuf query = {};
	q->server->mhd.each_value(q->connection, MHD_GET_ARGUMENT_KIND, add_parameter, &query);
	if (start)
		strbuf_addf(&query, "%s%s", query.len ? "&" : "", start);
	strbuf_addf(&a->location, "%s%s%s", path, query.len ? "?" : "", strbuf_str(&query));
	_cleanup_free_ char *text = xasprintf("see %s", path);
	say(a, MHD_HTTP_FOUND, text);
}

static const struct web_profile *chosen_profile(const struct request *q)
{
	const char *text = parameter(q, "p");
	uint64_t n = 0;
	if (text && !text_to_u64(text, &n))
		return NULL;
	return n < q->server->options.profiles_nr ? &q->server->options.profiles[n] : NULL;
}

static void route(struct request *q, const char *path, struct answer *a)
{
	const struct route *r = find_route(q->server, path);
	const char *other = r ? NULL : alias(q->server, path);
	q->profile = chosen_profile(q);
	if (other)
		lead_to(q, other, a);
	else if (!r)
		say(a, MHD_HTTP_NOT_FOUND, "no such page");
	else if (r->needs_profile && !q->profile)
		say(a, MHD_HTTP_NOT_FOUND, "no such profile");
	else
		r->answer(q, a);
}

/* ---- access ---- */

/* Compares in constant time. */
static bool is_token(const struct web_server *s, const char *text)
{
	unsigned char differs = 0;
	if (!text || strlen(text) != strlen(s->token))
		return false;
	for (size_t i = 0; s->token[i]; i++)
		differs |= (unsigned char)(text[i] ^ s->token[i]);
	return !differs;
}

/* The token may be in the address once; then the browser stores it as a cookie, and the address is without. */
static bool has_token(const struct request *q, const char *path, struct answer *a)
{
	const struct web_server *s = q->server;
	if (!s->token[0] || is_token(s, s->mhd.lookup(q->connection, MHD_COOKIE_KIND, COOKIE)))
		return true;
	if (!is_token(s, parameter(q, TOKEN))) {
		say(a, MHD_HTTP_FORBIDDEN, "missing token: open the address that the server printed");
		return false;
	}
	const struct route *r = find_route(s, path);
	const char *other = r ? r->path : alias(s, path);
	if (r && r->is_live) /* for programs, which keep no cookies */
		return true;
	strbuf_addf(&a->cookie, COOKIE "=%s; HttpOnly; SameSite=Strict; Path=/", s->token);
	lead_to(q, other ? other : alias(s, "/"), a);
	return false;
}

struct header_count {
	const char *name;
	unsigned n;
};

static enum MHD_Result count_header(void *ctx, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct header_count *c = ctx;
	c->n += !strcasecmp(name, c->name);
	return MHD_YES;
}

/* If a header occurs twice, a proxy may use the one that we ignore. */
static bool is_ambiguous(const struct request *q)
{
	static const char *const once[] = { "Host", "Origin", "Sec-Fetch-Site", "Sec-Fetch-Mode" };
	for (size_t i = 0; i < sizeof(once) / sizeof(*once); i++) {
		struct header_count c = { .name = once[i] };
		q->server->mhd.each_value(q->connection, MHD_HEADER_KIND, count_header, &c);
		if (c.n > 1)
			return true;
	}
	return false;
}

static bool is_allowed(const struct request *q, const char *method, struct answer *a)
{
	const char *host = header(q, "Host"), *site = header(q, "Sec-Fetch-Site"), *mode = header(q, "Sec-Fetch-Mode");
	bool is_foreign = site && !strcmp(site, "cross-site") && !(mode && !strcmp(mode, "navigate"));
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		say(a, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD");
	else if (is_ambiguous(q))
		say(a, MHD_HTTP_BAD_REQUEST, "a request has one Host, and at most one Origin");
	else if (!q->server->token[0] && !web_host_allowed(host, q->server->host, q->server->port))
		say(a, MHD_HTTP_FORBIDDEN, "unexpected Host name");
	else if (is_foreign || !web_origin_allowed(header(q, "Origin"), host))
		say(a, MHD_HTTP_FORBIDDEN, "requests of other sites are not permitted");
	else
		return true;
	return false;
}

/* ---- connections ---- */

static void notice_connection(void *ctx, struct MHD_Connection *c, void **connection, enum MHD_ConnectionNotificationCode what)
{
	struct web_server *s = ctx;
	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		web_connection_remove(*connection);
		return;
	}
	*connection = web_connection_add(s->connections, socket_of(s, c), s->mhd.info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
}

static struct web_connection *connection_of(const struct web_server *s, struct MHD_Connection *c)
{
	return s->mhd.info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static struct exchange *begin_exchange(const struct web_server *s, struct MHD_Connection *c)
{
	struct exchange *x = xcalloc(1, sizeof(*x));
	*x = (struct exchange){ .server = s, .connection = c };
	return x;
}

static void notice_answered(void *ctx, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode how)
{
	struct exchange *x = *state;
	web_connection_end_answer(connection_of(ctx, c));
	if (x && x->job)
		web_job_destroy(x->job);
	free(x);
}

/* False: a measurement has begun, and the answer comes later. */
static bool find_answer(struct exchange *x, const char *path, const char *method, struct answer *a)
{
	struct request q = { .server = x->server, .connection = x->connection, .exchange = x };
	if (x->job) {
		answer_measured(x, a);
		return true;
	}
	web_connection_begin_answer(connection_of(x->server, x->connection));
	if (is_allowed(&q, method, a) && has_token(&q, path, a))
		route(&q, path, a);
	return !x->job;
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *c, const char *path, const char *method, const char *version,
			      const char *upload, size_t *upload_bytes, void **state)
{
	struct answer a = { .status = MHD_HTTP_OK };
	/* The library calls once after the head, then for uploaded data, which is discarded. */
	if (!*state) {
		*state = begin_exchange(ctx, c);
		return MHD_YES;
	}
	if (*upload_bytes) {
		*upload_bytes = 0;
		return MHD_YES;
	}
	out_init_mem(&a.body);
	enum MHD_Result result = find_answer(*state, path, method, &a) ? send_answer(ctx, c, &a) : MHD_YES;
	strbuf_deinit(&a.location);
	strbuf_deinit(&a.cookie);
	error_destroy(out_close(&a.body));
	return result;
}

/* ---- start and stop ---- */

static struct strobe_error *bind_to(struct web_server *s, const struct addrinfo *a)
{
	struct sockaddr_storage bound;
	socklen_t bytes = sizeof(bound);
	int on = 1;
	s->fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return error_errno(errno, "cannot create a socket");
	setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(s->fd, a->ai_addr, a->ai_addrlen) || listen(s->fd, SOMAXCONN) ||
	    getsockname(s->fd, (struct sockaddr *)&bound, &bytes)) {
		struct strobe_error *err = error_errno(errno, "cannot listen at %s:%u", s->host, s->port);
		close(s->fd);
		s->fd = -1;
		return err;
	}
	s->port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port :
						      ((struct sockaddr_in *)&bound)->sin_port);
	uint8_t random[TOKEN_BYTES];
	if (web_is_loopback((struct sockaddr *)&bound))
		return NULL;
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return error_errno(errno, "cannot create a token");
	text_bytes_to_hex(random, sizeof(random), s->token);
	return NULL;
}

static struct strobe_error *listen_at(struct web_server *s, const char *address)
{
	struct addrinfo *found;
	TRY(web_resolve_address(address, &s->host, &s->port, &found));
	struct strobe_error *err = NULL;
	for (const struct addrinfo *a = found; a; a = a->ai_next) {
		error_destroy(err);
		err = bind_to(s, a);
		if (!err)
			break;
	}
	freeaddrinfo(found);
	return err;
}

struct strobe_error *web_server_start(const struct web_options *options, struct web_server **ret)
{
	struct web_server *s = xcalloc(1, sizeof(*s));
	s->options = *options;
	s->fd = -1;
	struct strobe_error *err = load(&s->mhd);
	if (!err)
		err = listen_at(s, options->address);
	if (!err)
		err = web_connections_create(CONNECTIONS_MAX, REQUEST_MS, &s->connections);
	if (!err && options->live)
		err = web_jobs_create(options->live, &s->jobs);
	if (!err) {
		s->url = xasprintf(strchr(s->host, ':') ? "http://[%s]:%u/%s%s" : "http://%s:%u/%s%s", s->host, s->port,
				   s->token[0] ? "?" TOKEN "=" : "", s->token);
		s->daemon = s->mhd.start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_ALLOW_SUSPEND_RESUME, 0,
						NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET, s->fd, MHD_OPTION_CONNECTION_LIMIT,
						(unsigned)(CONNECTIONS_MAX + CONNECTIONS_SHUT_MAX),
						MHD_OPTION_NOTIFY_CONNECTION, notice_connection, s,
						MHD_OPTION_NOTIFY_COMPLETED, notice_answered, s,
						MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
						MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_MEMORY, MHD_OPTION_END);
		if (!s->daemon)
			err = error_create(ERROR_OTHER, "cannot initialize libmicrohttpd");
	}
	if (err) {
		web_server_stop(s);
		return err;
	}
	*ret = s;
	return NULL;
}

const char *web_server_url(const struct web_server *s)
{
	return s->url;
}

void web_server_stop(struct web_server *s)
{
	if (!s)
		return;
	web_jobs_stop(s->jobs); /* the library stops no suspended connection */
	if (s->daemon)
		s->mhd.stop_daemon(s->daemon); /* closes the socket */
	else if (s->fd >= 0)
		close(s->fd);
	web_connections_destroy(s->connections);
	web_jobs_destroy(s->jobs);
	free(s->host);
	free(s->url);
	free(s);
}
#endif
