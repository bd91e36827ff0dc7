/* Any bytes as the compiled description of a terminal: what is made of one can be made once more. */
#include <stdint.h>
#include <stdlib.h>

#include "view/tui/terminfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf once = {}, twice = {};
	if (!terminfo_direct(data, size, &once)) {
		if (once.len)
			abort();
	} else if (!terminfo_direct(once.data, once.len, &twice)) {
		abort();
	}
	strbuf_deinit(&once);
	strbuf_deinit(&twice);
	return 0;
}
