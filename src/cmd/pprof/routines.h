/*
 * The functions that -disasm and -weblist show: found in the binaries, with their instructions and what cost something.
 */
#pragma once
#include "cmd/pprof/code.h"
#include "resolve/profile_objects.h"
#include "table/listing.h"

/* An address that cost something. */
struct routine_spot {
	struct dso *dso;
	const struct symbol *symbol;
	const char *name; /* of the symbol, as it matched */
	mapping_id mapping;
	uint64_t addr;
	const struct callgraph_node *node;
};

struct routine {
	const struct code_view *v;
	const struct callgraph *g;
	const char *name;
	struct code_sum sum;
	const struct listing *l;
	const struct routine_spot *spots, *end; /* by address */
};

/* Before the first: out gets what begins the report. By name; v->total is set. ERROR_NOT_FOUND where none matches. */
struct routine_report {
	void (*begin)(const struct code_view *v, struct out *out);
	void (*show)(const struct routine *r, struct out *out);
};
struct strobe_error *routines_report(struct code_view *v, const struct routine_report *report, struct out *out) _must_check_;
/* What an instruction cost: of the spots that lie before its end, which are passed. */
struct code_sum routine_insn_sum(const struct routine *r, const struct listing_insn *insn, const struct routine_spot **at);
