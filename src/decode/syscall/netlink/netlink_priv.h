/* Tables of netlink attributes: the type of an attribute's payload, by its number. */
#pragma once
#include "decode/syscall/emit.h"

/* The fetched bytes and their address. */
struct packet {
	struct emit *e;
	const uint8_t *data;
	size_t bytes;
	uint64_t address;
	unsigned depth;                                 /* of messages in messages about errors */
	uint8_t family;                                 /* of the message that is being shown */
	const struct attributes *link_data, *port_data; /* for the kind of link seen last, NULL: unknown */
};

static inline bool packet_has(const struct packet *p, size_t at, size_t n)
{
	return at <= p->bytes && n <= p->bytes - at;
}

static inline uint64_t packet_load(const struct packet *p, size_t at, size_t n)
{
	return value_load(p->e->arch, p->data + at, n);
}

static inline size_t packet_aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

enum attribute_kind {
	A_VALUE,
	A_TEXT,
	A_ADDRESS,
	A_MAC,
	A_NEST,
	A_EACH,          /* values up to the end */
	A_INDEXED,       /* the same, by names; value.of has them */
	A_INDEXED_LESS1, /* the first of them is number 1 */
	A_PORT,
	A_BIG64,
	A_UINT,   /* a number of 4 or 8 bytes */
	A_HEADED, /* a value, then attributes */
	A_BODY,   /* print() */
	A_BYTES,
};

struct attributes;

struct attribute {
	uint16_t type;
	uint8_t kind;
	struct value_type value;        /* A_VALUE, A_EACH, A_INDEXED, A_HEADED */
	const struct attributes *nest;  /* A_NEST, A_HEADED */
	/* A_VALUE: minimum size of a struct that grew; 0: all of it. */
	uint16_t least;
	/* Prints n bytes at `at`, perhaps not all fetched, as items of the current list. */
	void (*print)(struct packet *p, size_t at, size_t n, unsigned depth);
};

struct attributes {
	const struct constants *names;
	const struct attribute *list;
	size_t nr;
};

/* Prints n bytes of attributes at `at`, perhaps not all fetched: one attribute alone, several as a list. */
void netlink_attributes(struct packet *p, size_t at, size_t n, const struct attributes *of, unsigned depth);
/* Prints n undescribed bytes, or their address if they were not fetched. */
void netlink_bytes(struct packet *p, size_t at, size_t n);

/* Whether the n bytes begin with a fetched head of that size; otherwise prints them as bytes. */
bool netlink_begins_with(struct packet *p, size_t at, size_t n, size_t head);

/* Printers for A_BODY: netlink_bodies.c. */
void netlink_multipath(struct packet *p, size_t at, size_t n, unsigned depth);
void netlink_via(struct packet *p, size_t at, size_t n, unsigned depth);
void netlink_bytecode(struct packet *p, size_t at, size_t n, unsigned depth);

extern const struct attributes attributes_creport;
extern const struct attributes attributes_error;
extern const struct attributes attributes_fra;
extern const struct attributes attributes_ifa;
extern const struct attributes attributes_ifal;
extern const struct attributes attributes_ifla;
extern const struct attributes attributes_ifla_af_spec;
extern const struct attributes attributes_ifla_br;
extern const struct attributes attributes_ifla_bridge;
extern const struct attributes attributes_ifla_brport;
extern const struct attributes attributes_ifla_inet6;
extern const struct attributes attributes_ifla_info;
extern const struct attributes attributes_ifla_info_data;
extern const struct attributes attributes_ifla_info_slave_data;
extern const struct attributes attributes_ifla_protinfo;
extern const struct attributes attributes_ifla_tun;
extern const struct attributes attributes_inet_diag;
extern const struct attributes attributes_inet_diag_req;
extern const struct attributes attributes_ip6mra;
extern const struct attributes attributes_ipmra;
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
