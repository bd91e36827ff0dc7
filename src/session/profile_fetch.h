/*
 * Fetches a profile from a server: /debug/pprof/… of a Go program, or any other URL.
 */
#pragma once
#include <stdint.h>

#include "net/fetch.h"
#include "profile/profile.h"
#include "session/host.h"

struct profile_fetch {
	const char *source;    /* a URL, or HOST:PORT; without a path the profile of CPU time */
	int64_t seconds;       /* duration of the measurement; -1: the server's default */
	int64_t timeout_s;     /* 0: derived from the duration */
	const char *tls_cert, *tls_key, *tls_ca;
};

/* Whether it is a URL or HOST:PORT, and no file. */
bool profile_fetch_is_server(const char *source);
/* The server's response to posted addresses ("0x1f+0x2e"): at /symbol beside the fetched URL, or at /symbolz. */
struct strobe_error *profile_fetch_names(const struct profile_fetch *f, const char *addresses, struct net_body *ret) _must_check_;
/* The host shows URL and duration as progress. */
struct strobe_error *profile_fetch(const struct session_host *host, const struct profile_fetch *f, struct profile **ret) _must_check_;
