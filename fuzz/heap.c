/* Any bytes as the region of a process that libstrobe_alloc.so watches: read, summed up, written as tables. */
#include <stdint.h>

#include "heap/heap.h"
#include "heap/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct heap_region r;
	struct heap h;
	struct out out;
	struct strobe_error *err = heap_region_open(&r, data, size, "any");
	heap_init(&h, false);
	out_init_mem(&out);
	if (!err) {
		heap_add(&h, &r, 1, NULL);
		heap_report_write(&out, &h,
				  &(struct heap_report){ .format = TABLE_AS_JSON, .sizes = true, .growth = true, .functions = 10 });
	}
	error_destroy(err);
	error_destroy(out_close(&out));
	heap_deinit(&h);
	return 0;
}
