/* Any profile of another program as a page's data: columns must be as long as the header says, and no name ends a page. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/exchange.h"
#include "view/html/html.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_data(const struct profile *p)
{
	struct out out;
	size_t n;
	out_init_mem(&out);
	if (view_html_data(p, &(struct html_options){ .title = "x" }, &out))
		abort();
	const char *bytes = out_mem(&out, &n);
	if (n < 8 || memcmp(bytes, "STRB", 4))
		abort();
	error_destroy(out_close(&out));
}

static void check_page(const struct profile *p)
{
	struct out out;
	size_t n;
	int ends = 0;
	out_init_mem(&out);
	if (view_html(p, &(struct html_options){ .title = "x" }, &out))
		abort();
	const char *bytes = out_mem(&out, &n);
	for (size_t i = 0; i + 9 <= n; i++)
		ends += !memcmp(bytes + i, "</script>", 9);
	if (ends != 2)
		abort();
	error_destroy(out_close(&out));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct profile *p;
	struct strobe_error *err = exchange_read(data, size, "input", NULL, &p);
	if (!err) {
		check_data(p);
		check_page(p);
	}
	error_destroy(err);
	profile_destroy(p);
	return 0;
}
