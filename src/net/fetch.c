#include "net/fetch.h"

#include "config.h"
#include "base/text.h"

bool net_is_url(const char *s)
{
	return text_has_prefix(s, "http://") || text_has_prefix(s, "https://");
}

#if !HAVE_CURL
struct strobe_error *net_fetch(const char *url, const struct net_options *options, struct net_body *ret)
{
	*ret = (struct net_body){};
	return error_create(ERROR_UNSUPPORTED, "cannot fetch %s: built without libcurl", url);
}
#else
/* CURLOPT_PROTOCOLS: what replaces it is newer than the libraries that are loaded here. */
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/library.h"
#include "base/mem.h"

#define MOST_BYTES ((size_t)4 << 30)
#define MOST_REDIRECTIONS 8L
#define CURLPROTO_HTTP_AND_HTTPS ((long)CURLPROTO_HTTP | CURLPROTO_HTTPS)

struct curl_calls {
	typeof(curl_easy_init) *init;
	typeof(curl_easy_cleanup) *cleanup;
	typeof(curl_easy_setopt) *setopt;
	typeof(curl_easy_perform) *perform;
	typeof(curl_easy_getinfo) *getinfo;
	typeof(curl_easy_strerror) *strerror;
};

static const struct library library = {
	.files = { "libcurl.so.4", "libcurl-gnutls.so.4" },
	.missing = "a URL is fetched by libcurl, which is not installed (libcurl4)",
};

static struct strobe_error *load(struct curl_calls *ret)
{
	const struct library_symbol symbols[] = {
		{ &ret->init, "curl_easy_init" },       { &ret->cleanup, "curl_easy_cleanup" },
		{ &ret->setopt, "curl_easy_setopt" },   { &ret->perform, "curl_easy_perform" },
		{ &ret->getinfo, "curl_easy_getinfo" }, { &ret->strerror, "curl_easy_strerror" },
	};
	return library_load(&library, symbols, sizeof(symbols) / sizeof(*symbols));
}

struct taker {
	uint8_t *data;
	size_t bytes, cap, most;
	bool is_too_much;
};

static size_t take(char *p, size_t size, size_t nr, void *ctx)
{
	struct taker *t = ctx;
	size_t n = size * nr;
	if (n > t->most - t->bytes) {
		t->is_too_much = true;
		return 0;
	}
	while (t->cap - t->bytes < n) {
		t->cap = t->cap ? t->cap * 2 : 65536;
		t->data = xreallocarray(t->data, t->cap, 1);
	}
	memcpy(t->data + t->bytes, p, n);
	t->bytes += n;
	return n;
}

static void set_options(const struct curl_calls *curl, CURL *handle, const char *url, const struct net_options *o,
			struct taker *t, char *why)
{
	curl->setopt(handle, CURLOPT_URL, url);
	curl->setopt(handle, CURLOPT_ERRORBUFFER, why);
	curl->setopt(handle, CURLOPT_WRITEFUNCTION, take);
	curl->setopt(handle, CURLOPT_WRITEDATA, t);
	curl->setopt(handle, CURLOPT_USERAGENT, "strobe");
	curl->setopt(handle, CURLOPT_NOSIGNAL, 1L);
	curl->setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
	curl->setopt(handle, CURLOPT_MAXREDIRS, MOST_REDIRECTIONS);
	curl->setopt(handle, CURLOPT_PROTOCOLS, CURLPROTO_HTTP_AND_HTTPS);
	curl->setopt(handle, CURLOPT_REDIR_PROTOCOLS, CURLPROTO_HTTP_AND_HTTPS);
	curl->setopt(handle, CURLOPT_TIMEOUT_MS, (long)(o->timeout_s * 1000));
	if (o->stall_s > 0) {
		curl->setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, (long)(o->stall_s * 1000));
		curl->setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1000L); /* bytes a second */
		curl->setopt(handle, CURLOPT_LOW_SPEED_TIME, o->stall_s < 1 ? 1L : (long)o->stall_s);
	}
	if (o->insecure) {
		curl->setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
		curl->setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (o->post)
		curl->setopt(handle, CURLOPT_COPYPOSTFIELDS, o->post);
	if (o->cert)
		curl->setopt(handle, CURLOPT_SSLCERT, o->cert);
	if (o->key)
		curl->setopt(handle, CURLOPT_SSLKEY, o->key);
	if (o->ca)
		curl->setopt(handle, CURLOPT_CAINFO, o->ca);
}

static struct strobe_error *status_error(long status, const struct taker *t)
{
	size_t n = 0;
	while (n < t->bytes && n < 200 && t->data[n] >= 0x20 && t->data[n] < 0x7f)
		n++;
	return error_create(status == 404 ? ERROR_NOT_FOUND : ERROR_OTHER, "the server returned status %ld%s%.*s", status,
			    n ? ": " : "", (int)n, t->data ? (const char *)t->data : "");
}

static struct strobe_error *perform(const struct curl_calls *curl, const char *url, const struct net_options *o,
				    struct taker *t)
{
	char why[CURL_ERROR_SIZE] = "";
	long status = 0;
	CURL *handle = curl->init();
	if (!handle)
		return error_create(ERROR_OTHER, "cannot initialize libcurl");
	set_options(curl, handle, url, o, t, why);
	CURLcode code = curl->perform(handle);
	curl->getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
	curl->cleanup(handle);
	if (t->is_too_much)
		return error_create(ERROR_LIMIT, "the response is larger than %zu MB", t->most >> 20);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return error_create(ERROR_IO, "no response within %.4g s", o->stall_s > 0 ? o->stall_s : o->timeout_s);
	if (code != CURLE_OK)
		return error_create(ERROR_IO, "%s", *why ? why : curl->strerror(code));
	return status >= 200 && status < 300 ? NULL : status_error(status, t);
}

struct strobe_error *net_fetch(const char *url, const struct net_options *options, struct net_body *ret)
{
	struct curl_calls curl;
	struct taker t = { .most = options->most_bytes ? options->most_bytes : MOST_BYTES };
	*ret = (struct net_body){};
	struct strobe_error *err = load(&curl);
	if (!err)
		err = perform(&curl, url, options, &t);
	if (err) {
		free(t.data);
		return error_prefix(err, "cannot fetch %s", url);
	}
	*ret = (struct net_body){ t.data, t.bytes };
	return NULL;
}
#endif
