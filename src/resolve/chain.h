/*
 * A recorded callchain → addresses with their cpumode, innermost first, without the markers.
 */
#pragma once
#include <stdint.h>

#define CHAIN_MAX_DEFAULT 127

struct chain_entry {
	uint64_t ip;
	uint16_t cpumode;
};

/*
 * Writes at most max entries to ret and returns their number. ip and cpumode are the sample's own: they come first, also
 * where the chain does not begin with them (a precise sample may stand beside its chain). A marker that nobody knows makes
 * what follows meaningless: the chain ends there. ip 0 (not recorded): the chain alone tells where the sample was.
 */
uint32_t chain_expand(const uint64_t *words, uint32_t words_nr, uint64_t ip, uint16_t cpumode, uint32_t max,
		      struct chain_entry *ret);
