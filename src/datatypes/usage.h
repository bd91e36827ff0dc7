/*
 * What types of data cost: costs of instructions, added up by the type and the offset that each accesses.
 *
 *	usage_init(&u, datatypes, events, events_nr);
 *	for each instruction, for each event: usage_add(&u, dso, path, code, event, cost);
 *	u.stats
 *	size_t n;
 *	uint32_t *order = usage_rank(&u, &n);
 *	for each of order: struct layout *l = usage_layout(&u, order[i]); … layout_destroy(l);
 *	usage_deinit(&u);
 *
 * A type is that of one file, by name: a name that several of its units have is one type. Types and paths outlive it. One thread.
 */
#pragma once
#include "base/strtab.h"
#include "base/u64map.h"
#include "datatypes/datatypes.h"
#include "table/layout.h"

/* At an offset of the type. */
struct usage_cost {
	uint64_t offset;
	uint32_t event;
	struct listing_value cost;
};

struct usage_type {
	const char *object; /* path */
	str_id name;
	const struct type *type; /* the first of that name */
	VEC(struct usage_cost) costs;
};

struct usage {
	struct datatypes *types;
	const struct listing_event *events; /* names; borrowed */
	uint32_t events_nr;
	struct strtab strings;
	struct u64map by_name; /* path, name → index in all + 1 */
	VEC(struct usage_type) all;
	struct layout_stats stats; /* of instructions; names live as long as this */
	struct u64map by_mnemonic; /* str_id → index in stats.mnemonics + 1 */
	/* The last instruction: its costs by other events follow. */
	struct {
		struct dso *dso;
		uint64_t code;
		size_t type; /* index in all + 1; 0: not known */
		uint64_t offset;
	} last;
};

void usage_init(struct usage *u, struct datatypes *types, const struct listing_event *events, uint32_t events_nr);
void usage_deinit(struct usage *u);
/* The cost of the instruction at an address of the DSO, by one event. Costs of an instruction come one after the other. */
void usage_add(struct usage *u, struct dso *dso, const char *path, uint64_t code, uint32_t event, struct listing_value cost);
/* Types by cost, highest first: indexes in all, owned by the caller. Sorts stats, too. */
uint32_t *usage_rank(struct usage *u, size_t *ret_nr);
/* Owned by the caller; borrows the names of events. */
struct layout *usage_layout(const struct usage *u, uint32_t type);
