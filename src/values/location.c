#include "values/location.h"

static struct location lack(enum location_lack why)
{
	return (struct location){ .lack = (uint8_t)why };
}

/* The location some bytes further on. */
static struct location moved(struct location at, uint64_t bit_offset, uint64_t bits)
{
	uint64_t bytes = bit_offset / 8;
	if (!bit_offset)
		return at;
	switch (at.kind) {
	case LOCATION_IN_MEMORY:
		at.offsets[at.derefs] += (int64_t)bytes;
		return at;
	case LOCATION_IS_BYTES:
		if (bytes + (bits + 7) / 8 > at.bytes_nr)
			return lack(LOCATION_NOT_ALIVE);
		at.bytes += bytes;
		at.bytes_nr -= (uint32_t)bytes;
		return at;
	default:
		return at.kind ? lack(LOCATION_COMPUTED) : at;
	}
}

struct location location_part(const struct locations *l, uint64_t bit_offset, uint64_t bits)
{
	for (size_t i = 0; i < l->nr; i++) {
		const struct location_piece *p = &l->pieces[i];
		if (!p->bits)
			return moved(p->at, bit_offset, bits);
		if (bit_offset >= p->bit_offset && bit_offset - p->bit_offset < p->bits)
			return bits <= p->bits - (bit_offset - p->bit_offset) ? moved(p->at, bit_offset - p->bit_offset, bits) :
										 lack(LOCATION_COMPUTED);
	}
	return lack(LOCATION_NOT_ALIVE);
}

struct location location_target(const struct location *pointer, unsigned pointer_bytes)
{
	struct location at = *pointer;
	switch (at.kind) {
	case LOCATION_IN_MEMORY:
		if (at.derefs == LOCATION_DEREFS_MAX)
			return lack(LOCATION_COMPUTED);
		at.derefs++;
		break;
	case LOCATION_IN_REGISTER:
	case LOCATION_IS_VALUE:
		if (at.low_bytes && at.low_bytes < pointer_bytes)
			return lack(LOCATION_COMPUTED);
		at.kind = LOCATION_IN_MEMORY;
		at.low_bytes = 0;
		break;
	case LOCATION_NONE:
		break;
	default:
		return lack(LOCATION_COMPUTED);
	}
	return at;
}
