/*
 * Fetching what a URL names, over HTTP or HTTPS.
 *
 * By libcurl, which is loaded on first use; without it, here or when strobe was built, ERROR_UNSUPPORTED. The bytes are the caller's to
 * free(). Redirections to other HTTP addresses are followed, eight of them. One fetch at a time in a thread; it blocks.
 * Source: libcurl's API, curl.se/libcurl/c.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct net_options {
	double timeout_s;   /* for the whole of it; 0 = none */
	double stall_s;     /* for the connection, and for any time in which next to nothing comes; 0 = none */
	size_t most_bytes;  /* more is an error; 0 = 4 GB */
	bool insecure;      /* do not check the server's certificate */
	const char *post;   /* the body of a POST, as text; NULL: a GET */
	const char *cert, *key, *ca; /* PEM files, or NULL */
};

struct net_body {
	uint8_t *data;
	size_t bytes;
};

/* Whether it begins as a URL that can be fetched. */
bool net_is_url(const char *s);
/* ERROR_NOT_FOUND for a 404; the message has the server's status and the first line of its answer. */
struct strobe_error *net_fetch(const char *url, const struct net_options *options, struct net_body *ret) _must_check_;
