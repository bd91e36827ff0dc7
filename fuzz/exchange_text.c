/* Any bytes as folded stacks, as the text of perf script, perf trace, strace and callgrind, drawn in each way. */
#include <stdint.h>
#include <stdlib.h>

#include "exchange/exchange.h"
#include "exchange/readers/readers.h"
#include "view/data/folded.h"
#include "view/svg/flamegraph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void draw(struct profile *p, bool in_time, bool compared)
{
	struct flamegraph_options o = flamegraph_defaults();
	struct folded_options folded = { .names = { .mark_kernel = true, .mark_jit = true, .with_tid = true } };
	struct out out;
	o.in_time = in_time;
	o.has_base = compared && p->events.len > 1;
	o.base_event = o.has_base ? 1 : 0;
	out_init_mem(&out);
	error_destroy(view_flamegraph_svg(p, &o, &out));
	error_destroy(view_folded(p, &folded, &out));
	error_destroy(out_close(&out));
	profile_destroy(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p[7] = { NULL };
	error_destroy(script_read(data, size, &p[0]));
	error_destroy(folded_read(data, size, &p[1]));
	error_destroy(folded_read_as(data, size, (struct folded_form){ .keep_order = true }, &p[2]));
	error_destroy(folded_read_as(data, size, (struct folded_form){ .two_values = true }, &p[3]));
	error_destroy(callgrind_read(data, size, &p[4]));
	error_destroy(strace_read(data, size, &p[5]));
	error_destroy(perf_trace_read(data, size, &p[6]));
	for (int i = 0; i < 7; i++)
		if (p[i])
			draw(p[i], i == 2 || (!i && size & 1), i == 3);
	(void)folded_probe(data, size);
	(void)script_probe(data, size);
	(void)callgrind_probe(data, size);
	(void)strace_probe(data, size);
	(void)perf_trace_probe(data, size);
	return 0;
}
