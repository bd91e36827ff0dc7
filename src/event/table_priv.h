/*
 * The names that mean the same on every machine: hardware, software, tool and cache events.
 *
 * Source: perf_event_open(2) for the numbers, perf-list(1) for the names. Private to this room.
 */
#pragma once
#include "event/event.h"

struct table_symbol {
	const char *name, *alias; /* alias NULL: none */
	enum event_kind kind;
	uint32_t type;
	uint64_t config;
	enum event_tool tool;
};

extern const struct table_symbol table_symbols[];
extern const size_t table_symbols_nr;

/* Ignores case. NULL: not one of these names. */
const struct table_symbol *table_find(const char *name, size_t n);

/* Cache names: "L1-dcache-load-misses", in any order and with any alias of their parts. */
enum table_cache_result { TABLE_CACHE_OK, TABLE_CACHE_NO_NAME, TABLE_CACHE_WRONG_PART, TABLE_CACHE_NO_SUCH_OP };

/* *ret_at is where the wrong part starts (an offset into name), *ret_config the config of the event. */
enum table_cache_result table_cache_parse(const char *name, size_t n, uint64_t *ret_config, size_t *ret_at);

/* The canonical cache names in order; false past the last. name has room for 32 bytes. */
bool table_cache_name(size_t i, char *ret_name, size_t room, uint64_t *ret_config);
