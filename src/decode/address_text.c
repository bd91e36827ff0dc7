#include "decode/address_text.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

static uint8_t byte_at(struct field_span s, size_t i)
{
	return i < s.bytes ? s.data[i] : 0;
}

void address_uuid(struct out *out, struct field_span s, char variant)
{
	static const uint8_t big[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	static const uint8_t little[16] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15 };
	const uint8_t *order = variant == 'l' || variant == 'L' ? little : big;
	bool upper = variant == 'B' || variant == 'L';
	for (int i = 0; i < 16; i++) {
		uint8_t b = byte_at(s, order[i]);
		const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
		if (i == 4 || i == 6 || i == 8 || i == 10)
			out_ch(out, '-');
		out_ch(out, digits[b >> 4]);
		out_ch(out, digits[b & 15]);
	}
}

void address_mac(struct out *out, struct field_span s, const char *spec)
{
	bool reversed = strchr(spec, 'R') != NULL;
	char separator = spec[0] == 'm' ? 0 : strchr(spec, 'F') ? '-' : ':';
	for (size_t i = 0; i < 6; i++) {
		if (i && separator)
			out_ch(out, separator);
		out_hex_width(out, byte_at(s, reversed ? 5 - i : i), 2, '0');
	}
}

static void ip4(struct out *out, struct field_span s, bool leading_zeros)
{
	for (size_t i = 0; i < 4; i++) {
		if (i)
			out_ch(out, '.');
		out_u64_width(out, byte_at(s, i), leading_zeros ? 3 : 1, '0');
	}
}

static void ip6_full(struct out *out, struct field_span s, bool colons)
{
	for (size_t i = 0; i < 16; i++) {
		if (colons && i && i % 2 == 0)
			out_ch(out, ':');
		out_hex_width(out, byte_at(s, i), 2, '0');
	}
}

static void ip6_short(struct out *out, struct field_span s)
{
	uint8_t bytes[16];
	char text[INET6_ADDRSTRLEN];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = byte_at(s, i);
	out_str(out, inet_ntop(AF_INET6, bytes, text, sizeof(text)) ? text : "::");
}

static struct field_span skip_bytes(struct field_span s, uint32_t n)
{
	n = n < s.bytes ? n : s.bytes;
	return (struct field_span){ .data = s.data + n, .bytes = s.bytes - n };
}

/* struct sockaddr_in and sockaddr_in6 in memory; the port is in network byte order, the family in that of the machine. */
static void socket_address(struct out *out, struct field_span s, const char *spec)
{
	bool with_port = strchr(spec, 'p'), compressed = strchr(spec, 'c');
	uint16_t family = (uint16_t)(byte_at(s, 0) | byte_at(s, 1) << 8);
	if (family > 255) /* recorded on a machine of the other byte order */
		family = (uint16_t)(family >> 8);
	unsigned port = (unsigned)byte_at(s, 2) << 8 | byte_at(s, 3);
	if (family == AF_INET) {
		ip4(out, skip_bytes(s, 4), spec[0] == 'i');
		if (with_port)
			out_f(out, ":%u", port);
	} else if (family == AF_INET6) {
		if (with_port)
			out_ch(out, '[');
		if (compressed)
			ip6_short(out, skip_bytes(s, 8));
		else
			ip6_full(out, skip_bytes(s, 8), spec[0] == 'I');
		if (with_port)
			out_f(out, "]:%u", port);
	}
}

void address_ip(struct out *out, struct field_span s, const char *spec)
{
	if (spec[1] == 'S')
		socket_address(out, s, spec);
	else if (spec[1] == '6' && spec[2] == 'c')
		ip6_short(out, s);
	else if (spec[1] == '6')
		ip6_full(out, s, spec[0] == 'I');
	else
		ip4(out, s, spec[0] == 'i');
}
