/*
 * 64-bit hashes of bytes and words, not cryptographic, and not for persistent formats: values may differ between builds.
 *
 * Tables seeded by input from files must cap their probe length by growing; all of base/ does.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

uint64_t hash_bytes(const void *p, size_t bytes);

static inline uint64_t hash_str(const char *s)
{
	return hash_bytes(s, strlen(s));
}

static inline uint64_t hash_mum(uint64_t a, uint64_t b)
{
	__uint128_t r = (__uint128_t)a * b;
	return (uint64_t)r ^ (uint64_t)(r >> 64);
}

static inline uint64_t hash_u64(uint64_t v)
{
	return hash_mum(v ^ 0x9e3779b97f4a7c15ull, 0xe7037ed1a0b428dbull);
}

static inline uint64_t hash_combine(uint64_t h, uint64_t v)
{
	return hash_mum(h ^ 0xa0761d6478bd642full, v ^ 0xe7037ed1a0b428dbull);
}

/* n words, two multiplications for four words: the hash of call chains. */
static inline uint64_t hash_u64s(const uint64_t *p, size_t n, uint64_t seed)
{
	uint64_t h = seed ^ (n * 0x9e3779b97f4a7c15ull);
	uint64_t w[4];
	for (; n >= 4; n -= 4, p += 4) {
		memcpy(w, p, sizeof(w));
		h = hash_mum(w[0] ^ 0xa0761d6478bd642full, w[1] ^ h) ^
		    hash_mum(w[2] ^ 0x8ebc6af09c88c6e3ull, w[3] ^ h ^ 0x589965cc75374cc3ull);
	}
	for (; n; n--, p++) {
		memcpy(w, p, sizeof(*w));
		h = hash_combine(h, w[0]);
	}
	return h;
}
