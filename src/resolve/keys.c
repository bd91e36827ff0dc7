#include "resolve/keys.h"

#include <string.h>

#include "base/text.h"

static const struct key keys[] = {
	{ "comm", KEY_COMM, COLUMN_STRING },
	{ "pid", KEY_PID, COLUMN_U64 },
	{ "tid", KEY_TID, COLUMN_U64 },
	{ "ppid", KEY_PPID, COLUMN_U64 },
	{ "cgroup_dev", KEY_CGROUP_DEV, COLUMN_U64 },
	{ "cgroup_ino", KEY_CGROUP_INO, COLUMN_U64 },
	{ "cpu", KEY_CPU, COLUMN_U64 },
	{ "socket", KEY_SOCKET, COLUMN_I64 },
	{ "cpumode", KEY_CPUMODE, COLUMN_U64 },
	{ "machine", KEY_MACHINE, COLUMN_U64 },
	{ "time", KEY_TIME, COLUMN_U64 },
	{ "parallelism", KEY_PARALLELISM, COLUMN_U64 },
	{ "trace", KEY_TRACE, COLUMN_STRING },
	{ "state", KEY_WAIT_STATE, COLUMN_STRING },
	{ "reason", KEY_WAIT_REASON, COLUMN_STRING },
	{ "waker", KEY_WAKER, COLUMN_STRING },
	{ "waker_stack", KEY_WAKER_STACK, COLUMN_BYTES },
	{ "addr", KEY_ADDR, COLUMN_HEX },
	{ "daddr", KEY_DADDR, COLUMN_FRAME },
	{ "backing", KEY_BACKING, COLUMN_STRING },
	{ "weight", KEY_WEIGHT, COLUMN_U64 },
	{ "ins_lat", KEY_INS_LAT, COLUMN_U64 },
	{ "p_stage_cyc", KEY_P_STAGE_CYC, COLUMN_U64 },
	{ "transaction", KEY_TRANSACTION, COLUMN_HEX },
	{ "data_src", KEY_DATA_SRC, COLUMN_HEX },
	{ "phys_daddr", KEY_PHYS_ADDR, COLUMN_HEX },
	{ "cgroup", KEY_CGROUP, COLUMN_STRING },
	{ "cgroup_id", KEY_CGROUP_ID, COLUMN_U64 },
	{ "code_page_size", KEY_CODE_PAGE_SIZE, COLUMN_U64 },
	{ "data_page_size", KEY_DATA_PAGE_SIZE, COLUMN_U64 },
	{ "branch_from", KEY_BRANCH_FROM, COLUMN_FRAME },
	{ "branch_to", KEY_BRANCH_TO, COLUMN_FRAME },
	{ "branch_flags", KEY_BRANCH_FLAGS, COLUMN_HEX },
	{ "branch_cycles", KEY_BRANCH_CYCLES, COLUMN_U64 },
};

static const struct key trace_field = { "trace:", KEY_TRACE_FIELD, COLUMN_STRING };

const struct key *key_find(const char *name)
{
	if (text_has_prefix(name, trace_field.name) && name[strlen(trace_field.name)])
		return &trace_field;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

/* The flags of a branch without its cycles: bits in the order of struct perf_branch_entry. */
static uint64_t branch_flags(const struct perf_branch_entry *b)
{
	uint64_t flags;
	struct perf_branch_entry copy = *b;
	copy.cycles = 0;
	memcpy(&flags, (const char *)&copy + 16, sizeof(flags));
	return flags;
}

uint64_t key_extract(enum key_id id, const struct sample *s, const struct perf_branch_entry *branch)
{
	switch (id) {
	case KEY_ADDR:
	case KEY_DADDR:
	case KEY_BACKING:
		return s->addr;
	case KEY_WEIGHT:
		if (branch) /* each branch is a sample of its own */
			return branch->cycles ? branch->cycles : 1;
		return s->weight1 ? s->weight1 : s->weight;
	case KEY_INS_LAT:
		return s->weight2;
	case KEY_P_STAGE_CYC:
		return s->weight3;
	case KEY_TRANSACTION:
		return s->transaction;
	case KEY_DATA_SRC:
		return s->data_src;
	case KEY_PHYS_ADDR:
		return s->phys_addr;
	case KEY_CGROUP:
	case KEY_CGROUP_ID:
		return s->cgroup;
	case KEY_CODE_PAGE_SIZE:
		return s->code_page_size;
	case KEY_DATA_PAGE_SIZE:
		return s->data_page_size;
	case KEY_BRANCH_FROM:
		return branch ? branch->from : 0;
	case KEY_BRANCH_TO:
		return branch ? branch->to : 0;
	case KEY_BRANCH_FLAGS:
		return branch ? branch_flags(branch) : 0;
	case KEY_BRANCH_CYCLES:
		return branch ? branch->cycles : 0;
	default:
		return 0;
	}
}
