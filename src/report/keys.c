/* The keys of -s and -F, from the table of columns: for help, the manual page and completion. */
#include "base/out.h"
#include "report/query.h"

#define COLUMN(id, name, header, from, set, what, needs, width, labels) IN_##set(name)
#define IN_FIELDS(name) ""

const char report_sort_help[] =
	"group and sort by these keys; prefix + to add to the default.\nKeys:"
#define IN_COMMON(name) " " name
#define IN_BRANCH(name) ""
#define IN_MEMORY(name) ""
#include "profile/columns.def"
#undef IN_COMMON
#undef IN_BRANCH
#define IN_COMMON(name) ""
#define IN_BRANCH(name) " " name
	"\nKeys of branches:"
#include "profile/columns.def"
#undef IN_BRANCH
#undef IN_MEMORY
#define IN_BRANCH(name) ""
#define IN_MEMORY(name) " " name
	"\nKeys of memory accesses:"
#include "profile/columns.def"
	"\nFields of tracepoints: FIELD, EVENT.FIELD, EVENT.*, trace_fields";
#undef COLUMN

static const char *type_of(const struct column *c)
{
	static const char *const sums[] = { [COLUMN_SHARE] = "share", [COLUMN_COUNT] = "count", [COLUMN_INTERVAL] = "interval" };
	if (c->sum)
		return sums[c->sum->kind];
	return c->cells->is_number ? "number" : "string";
}

void report_list_keys(struct out *out)
{
	static const char *const sets[] = { [COLUMN_SET_COMMON] = "common", [COLUMN_SET_BRANCH] = "branch",
					    [COLUMN_SET_MEMORY] = "memory" };
	for (size_t i = 0; i < COLUMNS_NR; i++)
		if (columns[i].set != COLUMN_SET_FIELDS)
			out_f(out, "%s\t%s\t%s\n", columns[i].name, sets[columns[i].set], type_of(&columns[i]));
}
