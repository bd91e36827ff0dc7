#include "profiler/request.h"

#include <string.h>
#include <strings.h>

#define BAD_REQUEST     400
#define NOT_ALLOWED     405
#define TOO_LARGE       413
#define URI_TOO_LONG    414
#define NOT_IMPLEMENTED 501
#define DIGITS_MOST     9

struct span {
	const char *at;
	size_t n;
};

size_t request_head_bytes(const char *bytes, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++) {
		if (bytes[i] != '\n')
			continue;
		if (bytes[i + 1] == '\n')
			return i + 2;
		if (i + 2 < n && bytes[i + 1] == '\r' && bytes[i + 2] == '\n')
			return i + 3;
	}
	return 0;
}

static bool is_word(struct span s, const char *word)
{
	return strlen(word) == s.n && !strncasecmp(s.at, word, s.n);
}

static struct span trim(struct span s)
{
	while (s.n && (*s.at == ' ' || *s.at == '\t'))
		s.at++, s.n--;
	while (s.n && strchr(" \t\r", s.at[s.n - 1]))
		s.n--;
	return s;
}

/* Splits off the text before a character, and skips the character; all of the text if it is not there. */
static struct span cut(struct span *rest, char end)
{
	const char *found = memchr(rest->at, end, rest->n);
	struct span ret = { rest->at, found ? (size_t)(found - rest->at) : rest->n };
	size_t used = ret.n + (found != NULL);
	rest->at += used;
	rest->n -= used;
	return ret;
}

/* Text without control characters. */
static bool copy(struct span s, char *ret, size_t bytes)
{
	if (s.n >= bytes)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.at[i] <= ' ' || s.at[i] == 0x7f)
			return false;
	memcpy(ret, s.at, s.n);
	ret[s.n] = 0;
	return true;
}

static int64_t number(struct span s)
{
	int64_t ret = 0;
	if (!s.n || s.n > DIGITS_MOST)
		return -1;
	for (size_t i = 0; i < s.n; i++) {
		if (s.at[i] < '0' || s.at[i] > '9')
			return -1;
		ret = ret * 10 + (s.at[i] - '0');
	}
	return ret;
}

/* GET /debug/pprof/profile?seconds=5 HTTP/1.1 */
static int parse_line(struct span line, struct request *ret)
{
	struct span method = cut(&line, ' '), target = cut(&line, ' '), version = trim(line);
	if (version.n != strlen("HTTP/1.1") || memcmp(version.at, "HTTP/1.", strlen("HTTP/1.")))
		return BAD_REQUEST;
	ret->is_post = is_word(method, "POST");
	if (!ret->is_post && !is_word(method, "GET"))
		return NOT_ALLOWED;
	struct span path = cut(&target, '?');
	if (!path.n || *path.at != '/')
		return BAD_REQUEST;
	return copy(path, ret->path, sizeof(ret->path)) && copy(target, ret->query, sizeof(ret->query)) ? 0 : URI_TOO_LONG;
}

static int parse_header(struct span line, struct request *ret)
{
	struct span name = cut(&line, ':'), value = trim(line);
	if (is_word(name, "Host")) {
		bool is_second = ret->has_host;
		ret->has_host = true;
		return !is_second && copy(value, ret->host, sizeof(ret->host)) ? 0 : BAD_REQUEST;
	}
	if (is_word(name, "Origin")) {
		bool is_second = ret->has_origin;
		ret->has_origin = true;
		return !is_second && copy(value, ret->origin, sizeof(ret->origin)) ? 0 : BAD_REQUEST;
	}
	if (is_word(name, "Content-Length")) {
		int64_t bytes = number(value);
		bool is_second = ret->body_bytes != 0;
		ret->body_bytes = bytes > 0 ? (size_t)bytes : 0;
		return bytes < 0 || is_second ? BAD_REQUEST : ret->body_bytes > REQUEST_BODY_MOST ? TOO_LARGE : 0;
	}
	if (is_word(name, "Expect"))
		ret->expects_continue = true;
	return is_word(name, "Transfer-Encoding") ? NOT_IMPLEMENTED : 0;
}

int request_parse(const char *head, size_t n, struct request *ret)
{
	struct span rest = { head, n };
	*ret = (struct request){};
	int status = parse_line(cut(&rest, '\n'), ret);
	while (!status && rest.n) {
		struct span line = cut(&rest, '\n');
		if (trim(line).n)
			status = parse_header(line, ret);
	}
	return status;
}

static bool is_loopback(struct span host)
{
	if (is_word(host, "localhost") || is_word(host, "[::1]"))
		return true;
	/* A numeric address, not 127.example.org. */
	return host.n > 4 && !memcmp(host.at, "127.", 4) && strspn(host.at, "0123456789.") >= host.n;
}

/* Any port: a tunnel may forward another one. */
static bool is_local_name(const char *text)
{
	struct span rest = { text, strlen(text) }, host = rest;
	const char *bracket = memchr(text, ']', rest.n), *colon = strchr(bracket ? bracket : text, ':');
	if (colon)
		host.n = (size_t)(colon - text);
	return is_loopback(host) && (!colon || strspn(colon + 1, "0123456789") == strlen(colon + 1));
}

bool request_is_local(const struct request *r)
{
	const char *scheme = r->has_origin ? strstr(r->origin, "://") : NULL;
	if (r->has_origin && (!scheme || !is_local_name(scheme + strlen("://"))))
		return false;
	return r->has_host && is_local_name(r->host);
}

int64_t request_number(const struct request *r, const char *name, int64_t otherwise)
{
	struct span rest = { r->query, strlen(r->query) };
	while (rest.n) {
		struct span value = cut(&rest, '&'), key = cut(&value, '=');
		if (is_word(key, name))
			return number(value);
	}
	return otherwise;
}
