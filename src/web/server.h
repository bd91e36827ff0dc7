/*
 * A small HTTP server that shows profiles in a browser: the page of view/html/, its data, and downloads for pprof.
 *
 * It binds to the loopback interface by default; elsewhere it requires the token that web_server_url() contains. Requests whose Host
 * is not the server's, and those from another site's page (Origin), are rejected. Serves only GET and HEAD, and only the given
 * profiles and measurements; never opens a file.
 *
 * A connection must send a complete request within ten seconds, and of more than 48 the oldest idle one is closed (connections.h).
 *
 * Uses libmicrohttpd, which is loaded on first use; without it in the build or on the machine, the start fails with
 * ERROR_UNSUPPORTED. One separate thread answers all requests, one after the other, but for measurements (web/live.h); profiles are
 * borrowed, must outlive the server and must not change.
 *
 * Source of the paths and of the parameters' names: pprof's web interface (github.com/google/pprof, internal/driver).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "profile/profile.h"
#include "view/html/html.h"
#include "web/live.h"

struct web_profile {
	const char *name;
	const struct profile *profile;
	const struct profile *download; /* the profile to send to pprof; NULL: the same */
	struct html_options options;
};

struct web_options {
	const char *address; /* "host:port", both optional; NULL: localhost and a free port */
	const struct web_profile *profiles;
	size_t profiles_nr;
	const struct web_live *live; /* with it, profiles of running processes (web/live.h); NULL: without */
	const char *query;   /* "f=regex&g=lines": added when redirecting from / and pprof's addresses below /ui/; NULL: none */
};

struct web_server;
struct addrinfo;
struct sockaddr;

struct strobe_error *web_server_start(const struct web_options *options, struct web_server **ret) _must_check_;
/* "http://localhost:8080/", with the token if required; lives as long as the server. */
const char *web_server_url(const struct web_server *s);
void web_server_stop(struct web_server *s);

/*
 * Appends a parameter to a query: "name=value", preceded by "&" unless it is the first; characters other than letters and digits are
 * encoded.
 */
void web_query_add(struct strbuf *query, const char *name, const char *value);

/* Internal functions, declared here for tests. */

/* Splits "host:port": "[::1]:80", ":80", "host", ""; ERROR_USAGE if the port is not a number. host "" = localhost. */
struct strobe_error *web_parse_address(const char *text, char **ret_host, uint16_t *ret_port) _must_check_;
/* Whether an address (as in web_options) refers only to this machine's loopback interface. */
struct strobe_error *web_is_local(const char *address, bool *ret) _must_check_;
/* Resolves an address to a list for freeaddrinfo(), and the parts of its text, owned by the caller. */
struct strobe_error *web_resolve_address(const char *address, char **ret_host, uint16_t *ret_port, struct addrinfo **ret) _must_check_;
bool web_is_loopback(const struct sockaddr *a);
/* Whether to answer a request: its Host is one of ours (loopback), its Origin (NULL: none) is its Host. */
bool web_host_allowed(const char *host_header, const char *bound_host, uint16_t port);
bool web_origin_allowed(const char *origin, const char *host_header);
