/* The control messages of sendmsg(2) and recvmsg(2). */
#include "decode/syscall/emit.h"
#include "decode/syscall/type_macros.h"

enum { LEVEL_IP = 0, LEVEL_SOCKET = 1, LEVEL_IPV6 = 41 };

static const struct value_type timespec_type = IN(timespec), timespec64_type = IN(timespec64);

/* The data of a message: one value of the type (a scalar in brackets), or as many as fit into the bytes. */
static const struct message {
	uint16_t level, type;
	bool list;
	struct value_type data;
} messages[] = {
	{ LEVEL_SOCKET, 1, true, FD },
	{ LEVEL_SOCKET, 2, false, IN(ucred) },
	{ LEVEL_SOCKET, 4, false, FD },
	{ LEVEL_SOCKET, 29, false, IN(timeval) },
	{ LEVEL_SOCKET, 35, false, IN(timespec) },
	{ LEVEL_SOCKET, 37, false, ARRAY(3, timespec_type) },
	{ LEVEL_SOCKET, 63, false, IN(timeval64) },
	{ LEVEL_SOCKET, 64, false, IN(timespec64) },
	{ LEVEL_SOCKET, 65, false, ARRAY(3, timespec64_type) },
	{ LEVEL_IP, 1, false, HEX(1) },
	{ LEVEL_IP, 2, false, U32 },
	{ LEVEL_IP, 6, true, HEX(1) },
	{ LEVEL_IP, 7, true, HEX(1) },
	{ LEVEL_IP, 8, false, IN(in_pktinfo) },
	{ LEVEL_IP, 11, false, IN(sock_extended_err) },
	{ LEVEL_IP, 20, false, IN(sockaddr_in) },
	{ LEVEL_IP, 23, false, U32 },
	{ LEVEL_IPV6, 50, false, IN(in6_pktinfo) },
	{ LEVEL_IPV6, 52, false, INT },
	{ LEVEL_IPV6, 67, false, INT },
};

static const struct message *message_of(uint32_t level, uint32_t type)
{
	for (size_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		if (messages[i].level == level && messages[i].type == type)
			return &messages[i];
	return NULL;
}

static void data(struct emit *e, uint32_t level, uint32_t type, const uint8_t *p, size_t bytes)
{
	const struct message *m = message_of(level, type);
	size_t n = m ? value_bytes(e->arch, m->data) : 0;
	if (level == LEVEL_SOCKET && type == 3) { /* SCM_SECURITY */
		emit_string(e, p, bytes, false);
		return;
	}
	if (!m || !n || (bytes < n && !m->list)) {
		emit_bytes(e, p, bytes, false);
		return;
	}
	bool bare = m->data.format == VALUE_STRUCT || m->data.format == VALUE_ARRAY;
	if (bare) {
		emit_memory(e, m->data, p, bytes);
		return;
	}
	emit_array(e);
	for (size_t at = 0; at + n <= bytes && (m->list || !at); at += n) {
		emit_item(e);
		emit_memory(e, m->data, p + at, n);
	}
	emit_array_end(e);
}

static const struct constants *types_of(uint32_t level)
{
	return level == LEVEL_SOCKET ? &constants_scm :
	       level == LEVEL_IP     ? &constants_ip :
	       level == LEVEL_IPV6   ? &constants_ipv6 :
				       NULL;
}

/* struct cmsghdr: a size in a word, two ints, the data, then up to the next word. */
void emit_control(struct emit *e, const uint8_t *p, size_t bytes)
{
	size_t word = e->arch->pointer_bytes, head = word + 8;
	emit_array(e);
	while (bytes >= head) {
		uint64_t len = value_load(e->arch, p, word);
		uint32_t level = (uint32_t)value_load(e->arch, p + word, 4);
		uint32_t type = (uint32_t)value_load(e->arch, p + word + 4, 4);
		size_t n = len < head ? 0 : len < bytes ? (size_t)len - head : bytes - head;
		emit_item(e);
		emit_struct(e);
		emit_member(e, "cmsg_len");
		emit_u64(e, len);
		emit_member(e, "cmsg_level");
		emit_enum(e, &constants_sol, level);
		emit_member(e, "cmsg_type");
		if (types_of(level))
			emit_enum(e, types_of(level), type);
		else
			emit_hex(e, type);
		if (n) {
			emit_member(e, "cmsg_data");
			data(e, level, type, p + head, n);
		}
		emit_struct_end(e);
		if (len < head)
			break;
		uint64_t step = len > bytes ? bytes : (len + word - 1) / word * word;
		step = step < bytes ? step : bytes;
		p += step;
		bytes -= step;
	}
	emit_array_end(e);
}
