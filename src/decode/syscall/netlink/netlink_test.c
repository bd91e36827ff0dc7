/* Messages of netlink, made by hand from include/uapi/linux/{netlink,rtnetlink,inet_diag,if_bridge}.h; the lines are strace's. */
#include <stdio.h>

#include "base/testing.h"
#include "decode/syscall.h"

enum { ROUTE = 0, SOCK_DIAG = 4, SELINUX = 7, GENERIC = 16, AT = 0x5000 };

struct packet {
	uint8_t data[512];
	size_t len;
};

static void put(struct packet *p, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		p->data[p->len++] = (uint8_t)(v >> 8 * i);
}

/* A header whose length is_whole() sets. */
static struct packet message(uint16_t type, uint16_t flags)
{
	struct packet p = {};
	put(&p, 4, 0);
	put(&p, 2, type);
	put(&p, 2, flags);
	put(&p, 8, 0);
	return p;
}

static void pad(struct packet *p)
{
	while (p->len % 4)
		put(p, 1, 0);
}

static void attribute(struct packet *p, uint16_t type, uint16_t payload)
{
	pad(p);
	put(p, 2, payload + 4u);
	put(p, 2, type);
}

/* A struct rtmsg, ifinfomsg or br_port_msg: a family and zeros. */
static void family(struct packet *p, uint8_t f, size_t bytes)
{
	put(p, 1, f);
	for (size_t i = 1; i < bytes; i++)
		put(p, 1, 0);
}

static int fd_netlink(void *ctx, uint32_t pid, int fd)
{
	return *(const int *)ctx;
}

/* Checks the text after the header of the message, of which `here` bytes were fetched. */
static void says(const struct syscall_table *t, int protocol, struct packet *p, size_t here, const char *expected)
{
	static uint8_t blob[1024];
	struct syscall_style style = { .layout = SYSCALL_STRACE, .fd_netlink = fd_netlink, .ctx = &protocol };
	struct syscall_event ev = { .desc = syscall_table_find(t, "sendto"), .ret = (int64_t)p->len, .has_ret = true };
	struct syscall_piece head = { .arg = 1, .status = here < p->len ? SYSCALL_FETCH_PARTIAL : SYSCALL_FETCH_OK,
				      .bytes = (uint32_t)here };
	struct out out;
	char text[2048];
	size_t n;
	for (size_t i = 0; i < 4; i++)
		p->data[i] = (uint8_t)(p->len >> 8 * i);
	ev.arg[0] = 3, ev.arg[1] = AT, ev.arg[2] = p->len;
	memcpy(blob, &head, sizeof(head));
	memcpy(blob + sizeof(head), p->data, here);
	syscall_payload_add(&ev.payload, blob, sizeof(head) + here);
	out_init_mem(&out);
	syscall_print_args(&out, &style, &ev);
	const char *s = out_mem(&out, &n);
	assert_true(n < sizeof(text));
	memcpy(text, s, n);
	text[n] = '\0';
	error_destroy(out_close(&out));
	char *rest = strstr(text, "}, "), *end = strstr(text, "], ");
	for (char *next = end; next; next = strstr(next + 1, "], "))
		end = next;
	assert_non_null(rest);
	assert_non_null(end);
	*end = '\0';
	assert_string_equal(rest + 3, expected);
}

static int set_up(void **state)
{
	*state = syscall_table_create(&arch_x86_64);
	return !*state;
}

static int tear_down(void **state)
{
	syscall_table_destroy(*state);
	return 0;
}

static const char rtmsg[] = "{rtm_family=AF_INET, rtm_dst_len=0, rtm_src_len=0, rtm_tos=0, rtm_table=RT_TABLE_UNSPEC, "
			    "rtm_protocol=RTPROT_UNSPEC, rtm_scope=RT_SCOPE_UNIVERSE, rtm_type=RTN_UNSPEC, rtm_flags=0}, ";

static const char *after(const char *head, const char *rest)
{
	static char text[1024];
	snprintf(text, sizeof(text), "%s%s", head, rest);
	return text;
}

static void routes(void **state)
{
	struct packet p = message(24, 0x301);
	family(&p, 2, 12);
	attribute(&p, 9, 24); /* RTA_MULTIPATH: two hops, one with a gateway */
	put(&p, 2, 16), put(&p, 1, 1), put(&p, 1, 3), put(&p, 4, 2);
	attribute(&p, 5, 4);
	put(&p, 4, 0x0100000a);
	put(&p, 2, 8), put(&p, 1, 0), put(&p, 1, 0), put(&p, 4, 4);
	attribute(&p, 18, 6); /* RTA_VIA */
	put(&p, 2, 2), put(&p, 4, 0x04030201);
	says(*state, ROUTE, &p, p.len,
	     after(rtmsg, "[[{nla_len=28, nla_type=RTA_MULTIPATH}, [[{rtnh_len=16, rtnh_flags=RTNH_F_DEAD, rtnh_hops=3, rtnh_ifindex=2}, "
			  "[{nla_len=8, nla_type=RTA_GATEWAY}, inet_addr(\"10.0.0.1\")]], [{rtnh_len=8, rtnh_flags=0, rtnh_hops=0, "
			  "rtnh_ifindex=4}]]], [{nla_len=10, nla_type=RTA_VIA}, {rtvia_family=AF_INET, "
			  "rtvia_addr=inet_addr(\"1.2.3.4\")}]]"));
	p = message(24, 1);
	family(&p, 2, 12);
	attribute(&p, 9, 8); /* a hop with length 7: the list ends */
	put(&p, 2, 7), put(&p, 2, 0), put(&p, 4, 1);
	says(*state, ROUTE, &p, p.len,
	     after(rtmsg, "[{nla_len=12, nla_type=RTA_MULTIPATH}, [{rtnh_len=7, rtnh_flags=0, rtnh_hops=0, rtnh_ifindex=1}]]"));
	says(*state, ROUTE, &p, p.len - 1, after(rtmsg, "[{nla_len=12, nla_type=RTA_MULTIPATH}, 0x5020]"));
}

static const char link[] = "{ifi_family=AF_UNSPEC, ifi_type=ARPHRD_NETROM, ifi_index=0, ifi_flags=0, ifi_change=0}, ";

static void links(void **state)
{
	struct packet p = message(16, 1);
	family(&p, 0, 16);
	attribute(&p, 18, 36); /* IFLA_LINKINFO: the type of the data follows from the kind before it */
	attribute(&p, 1, 7);
	memcpy(p.data + p.len, "bridge", 7), p.len += 7;
	attribute(&p, 2, 20);
	attribute(&p, 11, 8);
	put(&p, 8, 0x0605040302010080);
	attribute(&p, 5, 4);
	put(&p, 4, 1);
	says(*state, ROUTE, &p, p.len,
	     after(link, "[{nla_len=40, nla_type=IFLA_LINKINFO}, [[{nla_len=11, nla_type=IFLA_INFO_KIND}, \"bridge\"], [{nla_len=24, "
			 "nla_type=IFLA_INFO_DATA}, [[{nla_len=12, nla_type=IFLA_BR_BRIDGE_ID}, {prio=[128, 0], "
			 "addr=01:02:03:04:05:06}], [{nla_len=8, nla_type=IFLA_BR_STP_STATE}, 1]]]]]"));
	memcpy(p.data + 40, "bridgf", 6);
	says(*state, ROUTE, &p, p.len,
	     after(link, "[{nla_len=40, nla_type=IFLA_LINKINFO}, [[{nla_len=11, nla_type=IFLA_INFO_KIND}, \"bridgf\"], [{nla_len=24, "
			 "nla_type=IFLA_INFO_DATA}, \"\\x0c\\x00\\x0b\\x00\\x80\\x00\\x01\\x02\\x03\\x04\\x05\\x06\\x08\\x00\\x05\\x00\\x01"
			 "\\x00\\x00\\x00\"]]]"));
	p = message(16, 1);
	family(&p, 0, 16);
	attribute(&p, 26, 16); /* IFLA_AF_SPEC: numbers with indexes */
	attribute(&p, 2, 12);
	attribute(&p, 1, 8);
	put(&p, 4, 1), put(&p, 4, UINT32_MAX);
	const char *conf = "[{nla_len=20, nla_type=IFLA_AF_SPEC}, [{nla_len=16, nla_type=AF_INET}, [{nla_len=12, "
			   "nla_type=IFLA_INET_CONF}, [[IPV4_DEVCONF_FORWARDING-1]=1, [IPV4_DEVCONF_MC_FORWARDING-1]=-1]]]]";
	says(*state, ROUTE, &p, p.len, after(link, conf));
	says(*state, ROUTE, &p, p.len - 1,
	     after(link, "[{nla_len=20, nla_type=IFLA_AF_SPEC}, [{nla_len=16, nla_type=AF_INET}, [{nla_len=12, "
			 "nla_type=IFLA_INET_CONF}, [[IPV4_DEVCONF_FORWARDING-1]=1, ...]]]]"));
}

static void attributes_that_lie(void **state)
{
	struct packet p = message(16, 1);
	family(&p, 0, 16);
	attribute(&p, 13, 96); /* longer than the message */
	put(&p, 4, 7);
	says(*state, ROUTE, &p, p.len, after(link, "[{nla_len=100, nla_type=IFLA_TXQLEN}, 7]"));
	p = message(16, 1);
	family(&p, 0, 16);
	put(&p, 2, 3), put(&p, 2, 13), put(&p, 4, 0); /* shorter than its own head */
	says(*state, ROUTE, &p, p.len, after(link, "{nla_len=3, nla_type=IFLA_TXQLEN}"));
	p = message(16, 1);
	family(&p, 0, 16);
	attribute(&p, 13, 0);
	put(&p, 2, 0x3231); /* too short for another */
	says(*state, ROUTE, &p, p.len, after(link, "[{nla_len=4, nla_type=IFLA_TXQLEN}, \"\\x31\\x32\"]"));
}

static void multicast(void **state)
{
	struct packet p = message(86, 1);
	family(&p, 7, 8);
	attribute(&p, 2, 16);
	attribute(&p, 1, 12); /* MDBA_ROUTER_PORT: a number, then attributes */
	put(&p, 4, 5);
	attribute(&p, 2, 1);
	put(&p, 1, 2);
	pad(&p);
	says(*state, ROUTE, &p, p.len,
	     "{family=AF_BRIDGE, ifindex=0}, [{nla_len=20, nla_type=MDBA_ROUTER}, [{nla_len=16, nla_type=MDBA_ROUTER_PORT}, 5, "
	     "[{nla_len=5, nla_type=MDBA_ROUTER_PATTR_TYPE}, MDB_RTR_TYPE_PERM]]]");
}

static void diagnosis(void **state)
{
	static const char head[] =
		"{sdiag_family=AF_INET, sdiag_protocol=IPPROTO_TCP, idiag_ext=0, idiag_states=0, id={idiag_sport=htons(0), "
		"idiag_dport=htons(0), idiag_src=inet_addr(\"0.0.0.0\"), idiag_dst=inet_addr(\"0.0.0.0\"), idiag_if=0, "
		"idiag_cookie=[0, 0]}}, ";
	struct packet p = message(20, 1);
	family(&p, 2, 56);
	p.data[17] = 6;
	attribute(&p, 1, 16); /* INET_DIAG_REQ_BYTECODE: a host */
	put(&p, 1, 7), put(&p, 1, 4), put(&p, 2, 8);
	put(&p, 1, 2), put(&p, 1, 32), put(&p, 2, 0), put(&p, 4, UINT32_MAX), put(&p, 4, 0x0100007f);
	says(*state, SOCK_DIAG, &p, p.len,
	     after(head, "[{nla_len=20, nla_type=INET_DIAG_REQ_BYTECODE}, {code=INET_DIAG_BC_S_COND, yes=4, no=8}, {family=AF_INET, "
			 "prefix_len=32, port=-1, addr=inet_addr(\"127.0.0.1\")}]"));
	p.data[p.len - 16] = 10; /* a mark: bytes after it are not decoded */
	says(*state, SOCK_DIAG, &p, p.len,
	     after(head, "[{nla_len=20, nla_type=INET_DIAG_REQ_BYTECODE}, {code=INET_DIAG_BC_MARK_COND, yes=4, no=8}, {mark=8194, "
			 "mask=4294967295}]"));
	p = message(20, 1);
	put(&p, 1, 2);
	says(*state, SOCK_DIAG, &p, p.len, "{family=AF_INET}");
}

static void others(void **state)
{
	struct packet p = message(16, 0);
	put(&p, 4, 1);
	says(*state, SELINUX, &p, p.len, "{val=1}");
	says(*state, GENERIC, &p, p.len, "\"\\x01\\x00\\x00\\x00\"");
	p = message(96, 0);
	put(&p, 1, 128);
	attribute(&p, 1, 1);
	put(&p, 1, 3);
	says(*state, ROUTE, &p, p.len, "{rtgen_family=RTNL_FAMILY_IPMR}, [{nla_len=5, nla_type=IPMRA_CREPORT_MSGTYPE}, IGMPMSG_WHOLEPKT]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(routes),    cmocka_unit_test(links),     cmocka_unit_test(attributes_that_lie),
		cmocka_unit_test(multicast), cmocka_unit_test(diagnosis), cmocka_unit_test(others),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
