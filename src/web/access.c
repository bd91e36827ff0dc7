/* Access control: addresses, Host and Origin. */
#include <config.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/library.h"
#include "base/mem.h"
#include "base/text.h"
#include "web/server.h"

struct strobe_error *web_parse_address(const char *text, char **ret_host, uint16_t *ret_port)
{
	const char *colon = strrchr(text, ':'), *bracket = strchr(text, ']');
	/* "::1" without brackets is only a host */
	if (colon && ((bracket && colon < bracket) || (!bracket && strchr(text, ':') != colon)))
		colon = NULL;
	size_t bytes = colon ? (size_t)(colon - text) : strlen(text);
	uint64_t port = 0;
	if (colon && colon[1] && (!text_to_u64(colon + 1, &port) || port > UINT16_MAX))
		return error_create(ERROR_USAGE, "invalid address '%s': expected HOST:PORT", text);
	*ret_port = (uint16_t)port;
	if (bytes >= 2 && text[0] == '[' && text[bytes - 1] == ']')
		*ret_host = xstrndup(text + 1, bytes - 2);
	else
		*ret_host = bytes ? xstrndup(text, bytes) : xstrdup("localhost");
	return NULL;
}

struct strobe_error *web_resolve_address(const char *address, char **ret_host, uint16_t *ret_port, struct addrinfo **ret)
{
	char port[8];
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV };
	const struct addrinfo local = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV };
	if (!library_can_load())
		return error_create(ERROR_UNSUPPORTED, "the static binary does not serve pages: use report --html to write a file");
	TRY(web_parse_address(address ? address : "", ret_host, ret_port));
	snprintf(port, sizeof(port), "%u", *ret_port);
	/* Machines without /etc/hosts cannot resolve the name: no name and not AI_PASSIVE is 127.0.0.1, the usual meaning of the name. */
	bool is_local = !strcmp(*ret_host, "localhost");
	int code = getaddrinfo(is_local ? NULL : *ret_host, port, is_local ? &local : &hints, ret);
	return code ? error_create(ERROR_USAGE, "cannot listen at %s: %s", *ret_host, gai_strerror(code)) : NULL;
}

bool web_is_loopback(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET)
		return (ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24) == 127;
	static const struct in6_addr loopback = IN6ADDR_LOOPBACK_INIT;
	return a->sa_family == AF_INET6 && !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr, &loopback, sizeof(loopback));
}

struct strobe_error *web_is_local(const char *address, bool *ret)
{
	_cleanup_free_ char *host = NULL;
	uint16_t port;
	struct addrinfo *found;
	TRY(web_resolve_address(address, &host, &port, &found));
	*ret = true;
	for (const struct addrinfo *a = found; a; a = a->ai_next)
		*ret = *ret && web_is_loopback(a->ai_addr);
	freeaddrinfo(found);
	return NULL;
}

/* Browsers send the host in lower case, and the port unless it is 80. */
static bool is_host(const char *header, const char *host, uint16_t port)
{
	char *with_port = xasprintf("%s:%u", host, port);
	bool is = !strcasecmp(header, with_port) || (port == 80 && !strcasecmp(header, host));
	free(with_port);
	return is;
}

bool web_host_allowed(const char *header, const char *bound_host, uint16_t port)
{
	static const char *const loopback[] = { "localhost", "127.0.0.1", "[::1]" };
	for (size_t i = 0; header && i < sizeof(loopback) / sizeof(*loopback); i++)
		if (is_host(header, loopback[i], port))
			return true;
	char *bracketed = xasprintf(strchr(bound_host, ':') ? "[%s]" : "%s", bound_host);
	bool is = header && is_host(header, bracketed, port);
	free(bracketed);
	return is;
}

bool web_origin_allowed(const char *origin, const char *host_header)
{
	if (!origin)
		return true;
	return host_header && text_has_prefix(origin, "http://") && !strcasecmp(origin + strlen("http://"), host_header);
}
