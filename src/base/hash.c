#include "base/hash.h"

static inline uint64_t read64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, 8);
	return v;
}

static inline uint64_t read32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, 4);
	return v;
}

#define K0 0xa0761d6478bd642full
#define K1 0xe7037ed1a0b428dbull
#define K2 0x8ebc6af09c88c6e3ull
#define K3 0x589965cc75374cc3ull

/* Folded 64x64→128 multiplications over 16 bytes each; three lanes at once where the input is long. */
uint64_t hash_bytes(const void *data, size_t bytes)
{
	const uint8_t *p = data;
	uint64_t seed = K0 ^ bytes, a, b;
	if (bytes <= 16) {
		if (bytes >= 8) {
			a = read64(p);
			b = read64(p + bytes - 8);
		} else if (bytes >= 4) {
			a = read32(p);
			b = read32(p + bytes - 4);
		} else if (bytes) {
			a = (uint64_t)p[0] << 16 | (uint64_t)p[bytes / 2] << 8 | p[bytes - 1];
			b = 0;
		} else {
			a = b = 0;
		}
		return hash_mum(K1 ^ bytes, hash_mum(a ^ K2, b ^ seed));
	}
	size_t left = bytes;
	if (left > 48) {
		uint64_t s1 = seed, s2 = seed;
		for (; left > 48; left -= 48, p += 48) {
			seed = hash_mum(read64(p) ^ K1, read64(p + 8) ^ seed);
			s1 = hash_mum(read64(p + 16) ^ K2, read64(p + 24) ^ s1);
			s2 = hash_mum(read64(p + 32) ^ K3, read64(p + 40) ^ s2);
		}
		seed ^= s1 ^ s2;
	}
	for (; left > 16; left -= 16, p += 16)
		seed = hash_mum(read64(p) ^ K1, read64(p + 8) ^ seed);
	/* The last 16 bytes, overlapping what was read before. */
	a = read64(p + left - 16);
	b = read64(p + left - 8);
	return hash_mum(K1 ^ bytes, hash_mum(a ^ K2, b ^ seed));
}
