/* Families of families.c whose arguments are structs by tables: messages of netlink, requests of ioctl(2). */
#pragma once
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* One message, of a header, a struct and its attributes, that the kernel looks no further at: it is not a request. */
static void netlink_send(int protocol, int type, int flags, const void *body, size_t n)
{
	char b[512] = "";
	struct nlmsghdr h = { (unsigned)(sizeof(h) + n), (unsigned short)type, (unsigned short)flags, 7, 0 };
	struct sockaddr_nl own = { .nl_family = AF_NETLINK };
	int s = socket(AF_NETLINK, SOCK_RAW, protocol);
	bind(s, (void *)&own, sizeof(own)); /* strace knows the protocol of those that have an address */
	memcpy(b, &h, sizeof(h));
	memcpy(b + sizeof(h), body, n);
	send(s, b, sizeof(h) + n, MSG_DONTWAIT);
	close(s);
}

/* Attributes in attributes, and what is asked about sockets and of the netfilter. */
static void family_netlink_tables(void)
{
	struct { unsigned char family, state, timer, retrans; unsigned short sport, dport; unsigned src[4], dst[4], index, cookie[2];
		unsigned rest[5]; struct { unsigned short len, type; char cong[8]; } a; } inet = { AF_INET, 10, 1, 2, htons(80), 0,
		{ htonl(0x0a0b0c0d) }, { htonl(0x7f000001) }, 0, { 1, 2 }, { 1, 2, 3, 4, 5 }, { 10, 4, "cubic" } };
	struct { unsigned char family, protocol, ext, pad; unsigned states; unsigned short sport, dport;
		unsigned src[4], dst[4], index, cookie[2]; } ask = { AF_INET, IPPROTO_TCP, 0x18, 0, 0x480, htons(22), 0, { 0 }, { 0 }, 0,
		{ 0, 0 } };
	struct { unsigned char family, protocol; unsigned short pad; unsigned states, ino, show, cookie[2]; } un = { AF_UNIX, 0, 0,
		0x402, 7, 5, { 1, 2 } };
	struct { unsigned char family, pad; unsigned short type; int index; unsigned flags, change; struct { unsigned short len, type;
		struct { unsigned short len, type; unsigned value; } in; } a[2]; } link = { 0, 0, 1, 0, 0, 0, {
		{ 12, 55, { 8, 1, 0xff } }, { 12, 26, { 8, 8, 5 } } } };
	struct { unsigned char family, pad[3]; int index; unsigned handle, parent, info; struct { unsigned short len, type;
		struct { unsigned short len, type; unsigned bps, pps; } in; } a; } tc = {
		0, { 0 }, 0, 1, 2, 3, { 16, 7, { 12, 2, 4, 5 } } };
	unsigned char route[12] = { AF_UNIX, 0, 0, 0x10, 253, 2, 0, 2 }, nf[4] = { AF_INET, 0, 0x12, 0x34 };
	netlink_send(NETLINK_SOCK_DIAG, 20, NLM_F_DUMP, &inet, sizeof(inet));
	inet.family = AF_INET6;
	netlink_send(NETLINK_SOCK_DIAG, 20, NLM_F_DUMP, &inet, sizeof(inet));
	netlink_send(NETLINK_SOCK_DIAG, 20, NLM_F_REQUEST, &ask, sizeof(ask));
	ask.family = AF_INET6;
	netlink_send(NETLINK_SOCK_DIAG, 20, NLM_F_REQUEST, &ask, sizeof(ask));
	netlink_send(NETLINK_SOCK_DIAG, 20, NLM_F_REQUEST, &un, sizeof(un));
	netlink_send(NETLINK_ROUTE, 18, NLM_F_DUMP, &link, sizeof(link));
	netlink_send(NETLINK_ROUTE, 38, NLM_F_DUMP, &tc, sizeof(tc));
	netlink_send(NETLINK_ROUTE, 26, NLM_F_DUMP, route, sizeof(route));
	netlink_send(NETLINK_NETFILTER, 0xa00, NLM_F_CREATE, nf, sizeof(nf));
	netlink_send(NETLINK_NETFILTER, 0x301, 0, nf, sizeof(nf));
	netlink_send(NETLINK_NETFILTER, 0x103, NLM_F_DUMP, nf, sizeof(nf));
	netlink_send(NETLINK_XFRM, 18, NLM_F_DUMP, "", 0);
}

/* What requests to devices point at; there is no device, so that the kernel changes nothing. */
static void family_ioctl_structs(void)
{
	unsigned u[16] = { 0x83828180, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	uint64_t d[16] = { 0x8786858483828180, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	static const unsigned words[] = { 0x40046918, 0x2271, 0x2201,
		0x40046911, 0x40046912, 0x40046917, 0x40046f01, 0x40046f41, 0x40044f04,
		0x40104d14, 0xc0104d03, 0x40084503, 0xb40c | 0xc0040000, 0x8004a405 };
	static const unsigned longs[] = { 0x40084f00, 0x40104f06, 0xc0184d15, 0xc0304d18, 0x8010aa01, 0x8010aa02, 0xc0185879,
		0xc020660b, 0x1277, 0x127d, 0x127f, 0x40089413, 0x40189429, 0xc0109428, 0x4020ae46 };
	static const unsigned values[][2] = { { 0xab0a, 0x403 }, { 0xab0a, 0x80001 }, { 0x2400, 1 }, { 0x2401, 0 }, { 0x2403, 3 },
		{ 0x4b4e, 10 }, { 0x4d13, 2 } };
	static const unsigned sized[] = { 0x81004506, 0x80604521, 0x80604537, 0x80184541, 0x80404812 };
	unsigned char key[4] = { 2, 3, 4, 5 };
	unsigned short modes[16] = { 0x0500, 5, 0xbd, 8 };
	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		ioctl(-1, words[i], u);
	for (unsigned i = 0; i < sizeof(longs) / sizeof(*longs); i++)
		ioctl(-1, longs[i], d);
	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++)
		ioctl(-1, values[i][0], (long)values[i][1]);
	for (unsigned i = 0; i < sizeof(sized) / sizeof(*sized); i++)
		ioctl(-1, sized[i], u);
	ioctl(-1, 0x4b46, key);
	ioctl(-1, 0x5406, modes);
	u[0] = 4;
	ioctl(-1, 0x2284, u);
}
