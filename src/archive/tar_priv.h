/* The header of an entry, for reading and writing. */
#pragma once
#include <stdint.h>

#define TAR_BLOCK 512

struct tar_header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100];
	char magic[6], version[2], owner[32], group[32], major[8], minor[8], prefix[155], padding[12];
};
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a header is a block");

/* The sum of all bytes, with the checksum's own bytes as blanks. */
static inline uint32_t tar_checksum(const struct tar_header *h)
{
	const uint8_t *p = (const uint8_t *)h, *own = (const uint8_t *)h->checksum;
	uint32_t sum = 0;
	for (unsigned i = 0; i < TAR_BLOCK; i++)
		sum += p + i >= own && p + i < own + sizeof(h->checksum) ? ' ' : p[i];
	return sum;
}
