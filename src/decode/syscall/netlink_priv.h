/* Attributes of netlink, as tables: what the number of an attribute says of the bytes that follow it. */
#pragma once
#include "decode/syscall/emit_priv.h"

enum attribute_kind { A_VALUE, A_TEXT, A_ADDRESS, A_MAC, A_NEST, A_EACH, A_PORT, A_BIG64, A_BYTES };

struct attributes;

struct attribute {
	uint16_t type;
	uint8_t kind;
	struct value_type value;        /* A_VALUE; A_EACH: as many as there are */
	const struct attributes *nest;  /* A_NEST */
};

struct attributes {
	const struct constants *names;
	const struct attribute *list;
	size_t nr;
};

extern const struct attributes attributes_error;
extern const struct attributes attributes_fra;
extern const struct attributes attributes_ifa;
extern const struct attributes attributes_ifal;
extern const struct attributes attributes_ifla;
extern const struct attributes attributes_ifla_brport;
extern const struct attributes attributes_ifla_inet6;
extern const struct attributes attributes_inet_diag;
extern const struct attributes attributes_inet_diag_req;
extern const struct attributes attributes_mdba;
extern const struct attributes attributes_nda;
extern const struct attributes attributes_ndta;
extern const struct attributes attributes_netconfa;
extern const struct attributes attributes_netlink_diag;
extern const struct attributes attributes_nha;
extern const struct attributes attributes_packet_diag;
extern const struct attributes attributes_rta;
extern const struct attributes attributes_smc_diag;
extern const struct attributes attributes_stats;
extern const struct attributes attributes_tca;
extern const struct attributes attributes_unix_diag;
