#include "sys/peer.h"

#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define TABLE_BYTES_MAX ((size_t)64 << 20)
#define ESTABLISHED	"01"

void peer_address(const struct sockaddr *a, bool mapped, struct strbuf *ret)
{
	uint32_t words[4] = { 0, 0, htonl(0xffff), 0 };
	if (a->sa_family == AF_INET) {
		const struct sockaddr_in *v4 = (const void *)a;
		words[3] = v4->sin_addr.s_addr;
		for (int i = mapped ? 0 : 3; i < 4; i++)
			strbuf_addf(ret, "%08X", words[i]);
		strbuf_addf(ret, ":%04X", ntohs(v4->sin_port));
		return;
	}
	const struct sockaddr_in6 *v6 = (const void *)a;
	memcpy(words, &v6->sin6_addr, sizeof(words));
	for (int i = 0; i < 4; i++)
		strbuf_addf(ret, "%08X", words[i]);
	strbuf_addf(ret, ":%04X", ntohs(v6->sin6_port));
}

/* After the state: both queues, the timer, retransmissions, the user. */
bool peer_user_in(const char *table, const char *addresses, uint32_t *ret_uid)
{
	enum { FIELDS_BEFORE = 3 };
	const char *at = strstr(table, addresses);
	if (!at || !*addresses)
		return false;
	at += strlen(addresses);
	size_t line = strcspn(at, "\n");
	const char *end = at + line;
	for (int i = 0; i < FIELDS_BEFORE && at < end; i++) {
		at += strspn(at, " ");
		at += strcspn(at, " \n");
	}
	if (at >= end)
		return false;
	char *after;
	unsigned long uid = strtoul(at, &after, 10);
	*ret_uid = (uint32_t)uid;
	return after > at && after < end && *after == ' ' && uid < UINT32_MAX;
}

static bool find(const struct sys *sys, const char *path, const struct sockaddr *peer, const struct sockaddr *ours, bool mapped,
		 uint32_t *ret_uid)
{
	_cleanup_strbuf_ struct strbuf table = {}, addresses = {};
	_cleanup_error_ struct strobe_error *err = sys_read(sys, path, &table, TABLE_BYTES_MAX);
	if (err)
		return false;
	peer_address(peer, mapped, &addresses);
	strbuf_addf(&addresses, " ");
	peer_address(ours, mapped, &addresses);
	strbuf_addf(&addresses, " " ESTABLISHED " ");
	return peer_user_in(strbuf_str(&table), strbuf_str(&addresses), ret_uid);
}

bool peer_user_at(const struct sys *sys, const struct sockaddr *peer, const struct sockaddr *ours, uint32_t *ret_uid)
{
	if (peer->sa_family != ours->sa_family || (peer->sa_family != AF_INET && peer->sa_family != AF_INET6))
		return false;
	/* An IPv6 socket can be connected to an IPv4 address. */
	return (peer->sa_family == AF_INET && find(sys, "/proc/net/tcp", peer, ours, false, ret_uid)) ||
	       find(sys, "/proc/net/tcp6", peer, ours, peer->sa_family == AF_INET, ret_uid);
}

bool peer_user(const struct sys *sys, int fd, uint32_t *ret_uid)
{
	struct sockaddr_storage peer = {}, ours = {};
	socklen_t peer_bytes = sizeof(peer), ours_bytes = sizeof(ours);
	return !getpeername(fd, (struct sockaddr *)&peer, &peer_bytes) && !getsockname(fd, (struct sockaddr *)&ours, &ours_bytes) &&
	       peer_user_at(sys, (struct sockaddr *)&peer, (struct sockaddr *)&ours, ret_uid);
}
