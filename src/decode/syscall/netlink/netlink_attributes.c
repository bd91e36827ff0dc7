/* The tables of netlink_priv.h, from <linux/rtnetlink.h> and others of include/uapi. */
#include "decode/syscall/netlink/netlink_priv.h"
#include "decode/syscall/type_macros.h"

#define VALUE(type, ...)          { type, A_VALUE, __VA_ARGS__, NULL, 0, NULL }
#define GROWN(type, least, ...)   { type, A_VALUE, __VA_ARGS__, NULL, least, NULL }
#define EACH(type, ...)           { type, A_EACH, __VA_ARGS__, NULL, 0, NULL }
#define INDEXED(type, kind, format, bytes, names) \
	{ type, kind, { VALUE_##format, bytes, 0, &constants_##names }, NULL, 0, NULL }
#define OTHER(type, kind)         { type, kind, {}, NULL, 0, NULL }
#define NEST(type, inner)         { type, A_NEST, {}, &attributes_##inner, 0, NULL }
#define HEADED(type, inner, ...)  { type, A_HEADED, __VA_ARGS__, &attributes_##inner, 0, NULL }
#define BODY(type, function)      { type, A_BODY, {}, NULL, 0, function }
#define ATTRIBUTES(id)     static const struct attribute list_of_##id[]
#define ATTRIBUTES_NAMED(id, names)                                                      \
	const struct attributes attributes_##id = { &constants_##names, list_of_##id,    \
						    sizeof(list_of_##id) / sizeof(*list_of_##id) }
#define ATTRIBUTES_END(id)   ATTRIBUTES_NAMED(id, nl_##id)
#define ATTRIBUTES_INNER(id) static ATTRIBUTES_NAMED(id, nl_##id) /* private to this file */

/* clang-format off */
ATTRIBUTES(ifla_info) = { OTHER(1, A_TEXT), NEST(2, ifla_info_data), OTHER(4, A_TEXT), NEST(5, ifla_info_slave_data) };
ATTRIBUTES_END(ifla_info);
/* Resolved by nest_of(). */
const struct attributes attributes_ifla_info_data, attributes_ifla_info_slave_data, attributes_ifla_protinfo;
ATTRIBUTES(ifla_br) = {
	OTHER(1, A_UINT), OTHER(2, A_UINT), OTHER(3, A_UINT), OTHER(4, A_UINT), VALUE(5, U32), VALUE(6, UNSIGNED(2)),
	VALUE(7, UNSIGNED(1)), VALUE(8, PORT_OF(ether_protocol)), VALUE(9, HEX(2)), VALUE(10, IN(ifla_bridge_id)),
	VALUE(11, IN(ifla_bridge_id)), VALUE(12, UNSIGNED(2)), VALUE(13, U32), VALUE(14, UNSIGNED(1)), VALUE(15, UNSIGNED(1)),
	VALUE(16, U64), VALUE(17, U64), VALUE(18, U64), VALUE(19, U64), OTHER(20, A_MAC), VALUE(22, UNSIGNED(1)),
	VALUE(23, UNSIGNED(1)), VALUE(24, UNSIGNED(1)), VALUE(25, UNSIGNED(1)), VALUE(26, U32), VALUE(27, U32), VALUE(28, U32),
	VALUE(29, U32), VALUE(30, U64), VALUE(31, U64), VALUE(32, U64), VALUE(33, U64), VALUE(34, U64), VALUE(35, U64),
	VALUE(36, UNSIGNED(1)), VALUE(37, UNSIGNED(1)), VALUE(38, UNSIGNED(1)), VALUE(39, UNSIGNED(2)), VALUE(41, UNSIGNED(1)),
	VALUE(42, UNSIGNED(1)), VALUE(43, UNSIGNED(1)), VALUE(44, UNSIGNED(1)), VALUE(45, UNSIGNED(1)), VALUE(46, IN(br_boolopt_multi)),
};
ATTRIBUTES_END(ifla_br);
ATTRIBUTES(ifla_tun) = {
	VALUE(1, ID(4)), VALUE(2, ID(4)), VALUE(3, ENUM8(nl_tun_type)), VALUE(4, UNSIGNED(1)), VALUE(5, UNSIGNED(1)),
	VALUE(6, UNSIGNED(1)), VALUE(7, UNSIGNED(1)), VALUE(8, U32), VALUE(9, U32),
};
ATTRIBUTES_END(ifla_tun);
ATTRIBUTES(vlan_tunnel) = { VALUE(1, U32), VALUE(2, UNSIGNED(2)), VALUE(3, FLAGS16(nl_bridge_vlan)) };
ATTRIBUTES_INNER(vlan_tunnel);
ATTRIBUTES(ifla_bridge) = {
	VALUE(0, FLAGS16(nl_bridge_flags)), VALUE(1, ENUM16(nl_bridge_mode)), VALUE(2, IN(bridge_vlan_info)), NEST(3, vlan_tunnel),
};
ATTRIBUTES_END(ifla_bridge);
ATTRIBUTES(ifla_xdp) = {
	VALUE(1, INT), VALUE(2, ENUM8(nl_xdp_attached)), VALUE(3, FLAGS(nl_xdp_flags)),
	VALUE(4, U32), VALUE(5, U32), VALUE(6, U32), VALUE(7, U32),
	VALUE(8, INT),
};
ATTRIBUTES_INNER(ifla_xdp);
ATTRIBUTES(ifla_inet6) = {
	VALUE(1, FLAGS(nl_inet6_if)), INDEXED(2, A_INDEXED, SIGNED, 4, nl_devconf), INDEXED(3, A_INDEXED, UNSIGNED, 8, nl_ipstats),
	VALUE(5, IN(ifla_cacheinfo)), INDEXED(6, A_INDEXED, UNSIGNED, 8, nl_icmp6stats), OTHER(7, A_ADDRESS),
	VALUE(8, ENUM8(nl_inet6_gen_mode)), VALUE(9, U32),
};
ATTRIBUTES_END(ifla_inet6);
ATTRIBUTES(ifla_brport) = {
	VALUE(1, UNSIGNED(1)), VALUE(2, UNSIGNED(2)), VALUE(3, U32), VALUE(4, UNSIGNED(1)), VALUE(5, UNSIGNED(1)),
	VALUE(6, UNSIGNED(1)), VALUE(7, UNSIGNED(1)), VALUE(8, UNSIGNED(1)), VALUE(9, UNSIGNED(1)),
	VALUE(10, UNSIGNED(1)), VALUE(11, UNSIGNED(1)), VALUE(12, UNSIGNED(1)), VALUE(13, IN(ifla_bridge_id)),
	VALUE(14, IN(ifla_bridge_id)), VALUE(15, UNSIGNED(2)), VALUE(16, UNSIGNED(2)), VALUE(17, HEX(2)),
	VALUE(18, UNSIGNED(2)), VALUE(19, UNSIGNED(1)), VALUE(20, UNSIGNED(1)), VALUE(21, U64), VALUE(22, U64),
	VALUE(23, U64), VALUE(25, UNSIGNED(1)), VALUE(27, UNSIGNED(1)), VALUE(28, UNSIGNED(1)), VALUE(29, UNSIGNED(1)),
	VALUE(30, UNSIGNED(1)), VALUE(31, HEX(2)), VALUE(32, UNSIGNED(1)), VALUE(33, UNSIGNED(1)), VALUE(34, U32),
	VALUE(35, UNSIGNED(1)), VALUE(36, UNSIGNED(1)), VALUE(37, U32), VALUE(38, U32), VALUE(39, UNSIGNED(1)),
};
ATTRIBUTES_END(ifla_brport);
ATTRIBUTES(ifla_vf_stats) = {
	VALUE(0, U64), VALUE(1, U64), VALUE(2, U64), VALUE(3, U64), VALUE(4, U64), VALUE(5, U64), VALUE(7, U64), VALUE(8, U64),
};
ATTRIBUTES_INNER(ifla_vf_stats);
ATTRIBUTES(ifla_vf_vlan_list) = { VALUE(1, IN(ifla_vf_vlan_info)) };
ATTRIBUTES_INNER(ifla_vf_vlan_list);
ATTRIBUTES(ifla_vf) = {
	VALUE(1, IN(ifla_vf_mac)), VALUE(2, IN(ifla_vf_vlan)), VALUE(3, IN(ifla_vf_tx_rate)),
	VALUE(4, IN(ifla_vf_setting)), VALUE(5, IN(ifla_vf_link_state)),
	VALUE(6, IN(ifla_vf_rate)), VALUE(7, IN(ifla_vf_setting)), NEST(8, ifla_vf_stats), VALUE(9, IN(ifla_vf_setting)),
	VALUE(10, IN(ifla_vf_guid)), VALUE(11, IN(ifla_vf_guid)), VALUE(13, IN(ifla_vf_broadcast)), NEST(12, ifla_vf_vlan_list),
};
ATTRIBUTES_INNER(ifla_vf);
ATTRIBUTES(ifla_vf_list) = { NEST(1, ifla_vf) };
ATTRIBUTES_INNER(ifla_vf_list);
ATTRIBUTES(ifla_port) = {
	VALUE(1, U32), OTHER(2, A_TEXT), VALUE(3, IN(ifla_port_vsi)), VALUE(6, UNSIGNED(1)), VALUE(7, UNSIGNED(2)),
};
ATTRIBUTES_INNER(ifla_port);
ATTRIBUTES(ifla_vf_port) = { NEST(1, ifla_port) };
ATTRIBUTES_INNER(ifla_vf_port);
ATTRIBUTES(ifla_inet) = { INDEXED(1, A_INDEXED_LESS1, SIGNED, 4, nl_ipv4_devconf) };
ATTRIBUTES_INNER(ifla_inet);
ATTRIBUTES(ifla_mctp) = { VALUE(1, U32) };
ATTRIBUTES_INNER(ifla_mctp);
ATTRIBUTES(ifla_af_spec) = { NEST(2, ifla_inet), NEST(10, ifla_inet6), NEST(45, ifla_mctp) };
ATTRIBUTES_NAMED(ifla_af_spec, family);
ATTRIBUTES(ifla_proto_down) = { VALUE(1, HEX32), VALUE(2, HEX32) };
ATTRIBUTES_INNER(ifla_proto_down);
ATTRIBUTES(ifla) = {
	OTHER(1, A_MAC), OTHER(2, A_MAC), OTHER(3, A_TEXT), VALUE(4, U32), VALUE(5, U32), OTHER(6, A_TEXT),
	GROWN(7, 92, IN(rtnl_link_stats)), VALUE(9, U32), VALUE(10, U32), NEST(12, ifla_protinfo), VALUE(13, U32),
	VALUE(14, IN(rtnl_link_ifmap)), VALUE(15, U32), VALUE(16, UNSIGNED(1)), VALUE(17, UNSIGNED(1)), NEST(18, ifla_info),
	VALUE(19, U32), OTHER(20, A_TEXT), VALUE(21, U32), NEST(22, ifla_vf_list), GROWN(23, 184, IN(rtnl_link_stats64)),
	NEST(24, ifla_vf_port), NEST(25, ifla_port), NEST(26, ifla_af_spec), VALUE(27, U32),
	VALUE(28, U32), VALUE(29, FLAGS(nl_rtext)), VALUE(30, U32), VALUE(31, U32), VALUE(32, U32), VALUE(33, UNSIGNED(1)),
	OTHER(34, A_TEXT),
	VALUE(35, U32), OTHER(36, A_TEXT), VALUE(37, INT), OTHER(38, A_TEXT), VALUE(39, UNSIGNED(1)), VALUE(40, U32),
	VALUE(41, U32),
	NEST(43, ifla_xdp), VALUE(44, ENUM(nl_ifla_event)), VALUE(45, INT), VALUE(46, INT), VALUE(47, U32), VALUE(48, U32), VALUE(49, INT),
	VALUE(50, U32), VALUE(51, U32), NEST(52, ifla), OTHER(53, A_TEXT), OTHER(54, A_MAC), NEST(55, ifla_proto_down),
	OTHER(56, A_TEXT), OTHER(57, A_TEXT),
	VALUE(58, U32), VALUE(59, U32), VALUE(60, U32), VALUE(61, U32),
};
ATTRIBUTES_END(ifla);
ATTRIBUTES(ifa) = {
	OTHER(1, A_ADDRESS), OTHER(2, A_ADDRESS), OTHER(3, A_TEXT), OTHER(4, A_ADDRESS), OTHER(5, A_ADDRESS),
	VALUE(6, IN(ifa_cacheinfo)),
	OTHER(7, A_ADDRESS), VALUE(8, FLAGS(nl_ifa_flags)), VALUE(9, U32), VALUE(10, INT),
};
ATTRIBUTES_END(ifa);
ATTRIBUTES(rtax) = {
	VALUE(1, U32), VALUE(2, U32), VALUE(3, U32), VALUE(4, U32), VALUE(5, U32), VALUE(6, U32), VALUE(7, U32), VALUE(8, U32),
	VALUE(9, U32),
	VALUE(10, U32), VALUE(11, U32), VALUE(12, U32), VALUE(13, U32), VALUE(14, U32), VALUE(15, U32), OTHER(16, A_TEXT),
	VALUE(17, U32),
};
ATTRIBUTES_INNER(rtax);
ATTRIBUTES(rta) = {
	OTHER(1, A_ADDRESS), OTHER(2, A_ADDRESS), VALUE(3, U32), VALUE(4, U32), OTHER(5, A_ADDRESS), VALUE(6, U32),
	OTHER(7, A_ADDRESS),
	NEST(8, rtax), BODY(9, netlink_multipath), VALUE(11, U32), VALUE(12, IN(rta_cacheinfo)),
	VALUE(15, ENUM(nl_rt_table)), VALUE(16, U32),
	VALUE(17, IN(rta_mfc_stats)), BODY(18, netlink_via), OTHER(19, A_ADDRESS), VALUE(20, UNSIGNED(1)), VALUE(21, ENUM16(nl_lwtunnel)),
	VALUE(23, U32),
	VALUE(25, U32), VALUE(26, UNSIGNED(1)), VALUE(27, ENUM8(ip_protocol)), VALUE(28, UNSIGNED(2)), VALUE(29, UNSIGNED(2)),
	VALUE(30, U32),
};
ATTRIBUTES_END(rta);
ATTRIBUTES(nfea) = { VALUE(1, FLAGS8(nl_fdb_notify)) };
ATTRIBUTES_INNER(nfea);
ATTRIBUTES(nda) = {
	OTHER(1, A_ADDRESS), OTHER(2, A_MAC), VALUE(3, IN(nda_cacheinfo)), VALUE(4, U32), VALUE(5, UNSIGNED(2)), OTHER(6, A_PORT),
	VALUE(7, U32), VALUE(8, U32), VALUE(9, U32), VALUE(10, U32), VALUE(11, U32), VALUE(12, ENUM8(nl_rtprot)), VALUE(13, U32),
	NEST(14, nfea), VALUE(15, FLAGS(nl_ntf_ext)), VALUE(16, FLAGS16(nl_nud)), VALUE(17, FLAGS8(nl_ntf)),
};
ATTRIBUTES_END(nda);
ATTRIBUTES(fra) = {
	OTHER(1, A_ADDRESS), OTHER(2, A_ADDRESS), OTHER(3, A_TEXT), VALUE(4, U32), VALUE(6, U32), VALUE(10, U32), VALUE(11, U32),
	OTHER(12, A_BIG64), VALUE(13, U32), VALUE(14, INT), VALUE(15, ENUM(nl_rt_table)), VALUE(16, U32), OTHER(17, A_TEXT),
	VALUE(19, UNSIGNED(1)), VALUE(20, IN(fib_rule_uid_range)), VALUE(21, ENUM8(nl_rtprot)), VALUE(22, ENUM8(ip_protocol)),
	VALUE(23, IN(fib_rule_port_range)), VALUE(24, IN(fib_rule_port_range)),
};
ATTRIBUTES_END(fra);
ATTRIBUTES(ndtpa) = {
	VALUE(1, U32), VALUE(2, U32), VALUE(3, U64), VALUE(4, U64), VALUE(5, U64), VALUE(6, U64), VALUE(7, U64), VALUE(8, U32),
	VALUE(9, U32), VALUE(10, U32), VALUE(11, U32), VALUE(12, U64), VALUE(13, U64), VALUE(14, U64), VALUE(15, U32),
	VALUE(16, U32),
	VALUE(17, U32), VALUE(19, U64),
};
ATTRIBUTES_INNER(ndtpa);
ATTRIBUTES(ndta) = {
	OTHER(1, A_TEXT), VALUE(2, U32), VALUE(3, U32), VALUE(4, U32), VALUE(5, IN(ndt_config)), NEST(6, ndtpa),
	VALUE(7, IN(ndt_stats)),
	VALUE(8, U64),
};
ATTRIBUTES_END(ndta);
ATTRIBUTES(tca_stats) = {
	VALUE(1, IN(gnet_stats_basic)), VALUE(2, IN(gnet_stats_rate_est)), VALUE(3, IN(gnet_stats_queue)),
	VALUE(5, IN(gnet_stats_rate_est64)), VALUE(7, IN(gnet_stats_basic)), VALUE(8, U64),
};
ATTRIBUTES_INNER(tca_stats);
ATTRIBUTES(tca_stab) = { VALUE(1, IN(tc_sizespec)), EACH(2, UNSIGNED(2)) };
ATTRIBUTES_INNER(tca_stab);
ATTRIBUTES(tca) = {
	OTHER(1, A_TEXT), VALUE(3, IN(tc_stats)), VALUE(5, IN(tc_estimator)), NEST(7, tca_stats), NEST(8, tca_stab),
	VALUE(11, U32), VALUE(12, UNSIGNED(1)), VALUE(13, U32),
	VALUE(14, U32),
};
ATTRIBUTES_END(tca);
ATTRIBUTES(nha_res_group) = { VALUE(1, UNSIGNED(2)), VALUE(2, U64), VALUE(3, U64), VALUE(4, U64) };
ATTRIBUTES_INNER(nha_res_group);
ATTRIBUTES(nha_res_bucket) = { VALUE(1, UNSIGNED(2)), VALUE(2, U64), VALUE(3, U32) };
ATTRIBUTES_INNER(nha_res_bucket);
ATTRIBUTES(nha) = {
	VALUE(1, U32), EACH(2, IN(nexthop_grp)), VALUE(3, ENUM16(nl_nexthop_group)), VALUE(5, U32),
	OTHER(6, A_ADDRESS), VALUE(7, ENUM16(nl_lwtunnel)), VALUE(9, U32),
	VALUE(10, U32), NEST(12, nha_res_group), NEST(13, nha_res_bucket),
};
ATTRIBUTES_END(nha);
ATTRIBUTES(netconfa) = { VALUE(1, U32), VALUE(2, INT), VALUE(3, INT), VALUE(4, INT), VALUE(5, INT), VALUE(6, INT),
	VALUE(7, INT), VALUE(8, INT) };
ATTRIBUTES_END(netconfa);
ATTRIBUTES(unix_diag) = {
	OTHER(0, A_TEXT), VALUE(1, IN(unix_diag_vfs)), VALUE(2, U32), EACH(3, U32), VALUE(4, IN(unix_diag_rqlen)), EACH(5, U32),
	VALUE(6, UNSIGNED(1)), VALUE(7, ID(4)),
};
ATTRIBUTES_END(unix_diag);
ATTRIBUTES(netlink_diag) = { EACH(1, HEX64), VALUE(2, IN(netlink_diag_ring)), VALUE(3, IN(netlink_diag_ring)),
	VALUE(4, FLAGS(nl_netlink_diag_flags)) };
ATTRIBUTES_END(netlink_diag);
ATTRIBUTES(packet_diag) = {
	VALUE(0, IN(packet_diag_info)), EACH(1, IN(packet_diag_mclist)), VALUE(2, IN(packet_diag_ring)),
	VALUE(3, IN(packet_diag_ring)), VALUE(5, ID(4)),
};
ATTRIBUTES_END(packet_diag);
ATTRIBUTES(ifal) = { OTHER(1, A_ADDRESS), VALUE(2, U32) };
ATTRIBUTES_END(ifal);
ATTRIBUTES(mdb_entry) = { VALUE(1, U32) };
ATTRIBUTES_INNER(mdb_entry);
ATTRIBUTES(mdba_mdb_entry) = { HEADED(1, mdb_entry, IN(br_mdb_entry)) };
ATTRIBUTES_INNER(mdba_mdb_entry);
ATTRIBUTES(mdba_mdb) = { NEST(1, mdba_mdb_entry) };
ATTRIBUTES_INNER(mdba_mdb);
ATTRIBUTES(mdb_router) = { VALUE(1, U32), VALUE(2, ENUM8(nl_mdb_router_type)), VALUE(3, U32), VALUE(4, U32) };
ATTRIBUTES_INNER(mdb_router);
ATTRIBUTES(mdba_router) = { HEADED(1, mdb_router, U32) };
ATTRIBUTES_INNER(mdba_router);
ATTRIBUTES(mdba) = { NEST(1, mdba_mdb), NEST(2, mdba_router) };
ATTRIBUTES_END(mdba);
ATTRIBUTES(xstats_bridge) = { VALUE(1, IN(bridge_vlan_xstats)), VALUE(4, IN(bridge_stp_xstats)) };
ATTRIBUTES_INNER(xstats_bridge);
ATTRIBUTES(xstats_bond_3ad) = {
	VALUE(0, U64), VALUE(1, U64), VALUE(2, U64), VALUE(3, U64), VALUE(4, U64), VALUE(5, U64), VALUE(6, U64), VALUE(7, U64),
	VALUE(8, U64),
};
ATTRIBUTES_INNER(xstats_bond_3ad);
ATTRIBUTES(xstats_bond) = { NEST(1, xstats_bond_3ad) };
ATTRIBUTES_INNER(xstats_bond);
ATTRIBUTES(xstats_type) = { NEST(1, xstats_bridge), NEST(2, xstats_bond) };
ATTRIBUTES_INNER(xstats_type);
ATTRIBUTES(xstats_offload) = { GROWN(1, 184, IN(rtnl_link_stats64)) };
ATTRIBUTES_INNER(xstats_offload);
ATTRIBUTES(xstats_mpls) = { VALUE(1, IN(mpls_link_stats)) };
ATTRIBUTES_INNER(xstats_mpls);
ATTRIBUTES(stats_af_spec) = { NEST(28, xstats_mpls) };
static ATTRIBUTES_NAMED(stats_af_spec, family);
ATTRIBUTES(stats) = {
	GROWN(1, 184, IN(rtnl_link_stats64)), NEST(2, xstats_type), NEST(3, xstats_type), NEST(4, xstats_offload),
	NEST(5, stats_af_spec),
};
ATTRIBUTES_NAMED(stats, nl_ifla_stats);
ATTRIBUTES(inet_diag_req) = { BODY(1, netlink_bytecode), VALUE(3, ENUM(ip_protocol)) };
ATTRIBUTES_END(inet_diag_req);
ATTRIBUTES(tls) = {
	VALUE(1, ENUM16(nl_tls_version)), VALUE(2, ENUM16(nl_tls_cipher)), VALUE(3, ENUM16(nl_tls_config)), VALUE(4, ENUM16(nl_tls_config)),
};
ATTRIBUTES_INNER(tls);
ATTRIBUTES(mptcp) = {
	VALUE(1, U32), VALUE(2, U32), VALUE(3, U32), VALUE(4, U64), VALUE(5, U32), VALUE(6, U32), VALUE(7, UNSIGNED(2)),
	VALUE(8, FLAGS(nl_mptcp_flags)), VALUE(9, UNSIGNED(1)), VALUE(10, UNSIGNED(1)),
};
ATTRIBUTES_INNER(mptcp);
ATTRIBUTES(ulp) = { OTHER(1, A_TEXT), NEST(2, tls), NEST(3, mptcp) };
ATTRIBUTES_INNER(ulp);
ATTRIBUTES(bpf_storage) = { VALUE(2, U32), OTHER(3, A_BYTES) };
ATTRIBUTES_INNER(bpf_storage);
ATTRIBUTES(bpf_storages) = { NEST(1, bpf_storage) };
ATTRIBUTES_INNER(bpf_storages);
ATTRIBUTES(inet_diag) = {
	VALUE(1, IN(inet_diag_meminfo)), VALUE(3, IN(tcpvegas_info)), OTHER(4, A_TEXT), VALUE(5, UNSIGNED(1)),
	VALUE(6, UNSIGNED(1)), INDEXED(7, A_INDEXED, UNSIGNED, 4, nl_sk_meminfo), VALUE(8, FLAGS8(nl_shutdown)), VALUE(9, IN(dctcp_info)),
	VALUE(10, ENUM8(ip_protocol)), VALUE(11, UNSIGNED(1)),
	VALUE(15, U32), VALUE(16, IN(bbr_info)), VALUE(17, U32), EACH(18, IN(tcp_diag_md5sig)), NEST(19, ulp), NEST(20, bpf_storages),
	VALUE(21, U64), VALUE(22, IN(inet_diag_sockopt)),
};
ATTRIBUTES_END(inet_diag);
ATTRIBUTES(smc_diag) = {
	VALUE(1, IN(smc_diag_conninfo)), VALUE(2, IN(smc_diag_lgrinfo)), VALUE(3, FLAGS8(nl_shutdown)), VALUE(4, IN(smcd_diag_dmbinfo)),
	VALUE(5, IN(smc_diag_fallback)),
};
ATTRIBUTES_END(smc_diag);
ATTRIBUTES(ipmra) = {
	VALUE(1, ENUM8(nl_igmp_message)), VALUE(2, U32), OTHER(3, A_ADDRESS), OTHER(4, A_ADDRESS), VALUE(6, U32),
};
ATTRIBUTES_END(ipmra);
ATTRIBUTES(ip6mra) = { VALUE(1, ENUM8(nl_mrt6_message)), VALUE(2, U32), OTHER(3, A_ADDRESS), OTHER(4, A_ADDRESS) };
ATTRIBUTES_END(ip6mra);
const struct attributes attributes_creport; /* one of these two, by the family */
/* clang-format on */

ATTRIBUTES(error) = { OTHER(1, A_TEXT), VALUE(2, U32), EACH(3, UNSIGNED(1)) };
ATTRIBUTES_END(error);
