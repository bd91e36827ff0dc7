/*
 * Parses the answer of programs with gperftools, or compatible ones, to a request for names: lines "0x1f NAME".
 *
 * The answer comes over the network and is hostile: other lines are skipped, names are arbitrary bytes. Source: gperftools,
 * docs/pprof_remote_servers.html.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Calls fn for each name, which is borrowed and not NUL-terminated; an address may come more than once. */
void symbol_answers_each(const char *text, size_t bytes, void (*fn)(void *ctx, uint64_t address, const char *name, size_t name_bytes),
			 void *ctx);
