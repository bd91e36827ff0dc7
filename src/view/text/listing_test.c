/* code listings as text: columns as perf 6.1 prints them, hostile names, colours */
#include "base/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "view/text/listing_text.h"

#define START 0x1100

static const struct listing_text_options plain = {
	.with_source = true, .title = "cycles:u", .colour_high = "", .colour_medium = "", .colour_address = "",
	.colour_code = "", .colour_off = "",
};

/* Three instructions; the middle one has it nearly all, and jumps back to the first. */
static struct listing *make(const char *symbol)
{
	static const uint8_t code[16] = { 0x90, 0x48, 0xb9, 1, 2, 3, 4, 5, 6, 7, 8, 0xc3 };
	struct listing *l = listing_create();
	l->symbol = l->raw_name = symbol;
	l->object = "prog";
	l->object_path = "/bin/prog";
	l->section = ".text";
	l->start = START;
	l->end = START + 12;
	listing_event(l, &(struct listing_event){ .name = "cycles:u", .unit = "", .frequency_hz = 4000, .total_samples = 200,
						  .total_value = 2000 });
	uint32_t place = listing_place(l, &(struct listing_place){ symbol, listing_file(l, "/src/a.c"), 7, LISTING_NONE });
	const struct listing_insn insns[] = {
		{ .addr = START, .code = code, .bytes = 1, .text = "nop", .place = place },
		{ .addr = START + 1, .code = code + 1, .bytes = 10, .flow = LISTING_BRANCH, .text = "jne    0x1100", .place = place,
		  .has_target = true, .target = { START, 0, symbol }, .target_at = 7, .target_bytes = 6 },
		{ .addr = START + 11, .code = code + 11, .bytes = 1, .flow = LISTING_RETURN, .text = "ret", .place = place },
	};
	for (size_t i = 0; i < 3; i++)
		listing_insn(l, &insns[i]);
	listing_add_value(l, START + 1, 0, 99, 990);
	listing_add_value(l, START + 11, 0, 1, 10);
	listing_finish(l);
	return l;
}

static void assert_text(const struct listing *l, void (*write)(struct out *, const struct listing *,
							       const struct listing_text_options *),
			const struct listing_text_options *options, const char *expected)
{
	struct out out;
	size_t n;
	out_init_mem(&out);
	write(&out, l, options);
	const char *text = out_mem(&out, &n);
	if (n != strlen(expected) || memcmp(text, expected, n))
		fail_msg("got\n%.*s\nexpected\n%s", (int)n, text, expected);
	error_destroy(out_close(&out));
}

static void columns_are_those_of_the_reference(void **state)
{
	struct listing *l = make("f");
	assert_text(l, text_listing, &plain,
		    " Percent |\tSource code & Disassembly of prog for cycles:u (100 samples, percent: local period)\n"
		    "---------------------------------------------------------------------------------------------------\n"
		    "         :\n"
		    "         :      Disassembly of section .text:\n"
		    "         :\n"
		    "         :      0000000000001100 <f>:\n"
		    "         :      f():\n"
		    "         :      /src/a.c:7\n"
		    "    0.00 :   1100:   nop\n"
		    "   99.00 :   1101:   jne    1100 <f>\n"
		    "    1.00 :   110b:   ret\n"
		    "\n");
	struct listing_text_options raw = plain;
	raw.raw_bytes = raw.lines = true;
	raw.with_source = false;
	raw.shown = LISTING_SHOW_PERIOD;
	raw.share = LISTING_GLOBAL_HITS;
	assert_text(l, text_listing, &raw,
		    "\nSorted summary for file /bin/prog\n"
		    "----------------------------------------------\n\n"
		    "   50.00 a.c:7\n"
		    " Period      |\tSource code & Disassembly of prog for cycles:u (100 samples, percent: global hits)\n"
		    "------------------------------------------------------------------------------------------------------\n"
		    "             :\n"
		    "             :      Disassembly of section .text:\n"
		    "             :\n"
		    "             :      0000000000001100 <f>:\n"
		    "             :      f():\n"
		    "           0 :   1100:   90                      nop\n"
		    "         990 :   1101:   48 b9 01 02 03 04 05    jne    1100 <f> // a.c:7\n"
		    "             :   1108:   06 07 08 \n"
		    "          10 :   110b:   c3                      ret\n"
		    "\n");
	assert_text(l, text_listing_compact, &plain,
		    "Samples: 100  of event 'cycles:u', 4000 Hz, Event count (approx.): 1000, [percent: local period]\n"
		    "f() /bin/prog\n"
		    "Percent\n"
		    "\n"
		    "           Disassembly of section .text:\n"
		    "\n"
		    "           0000000000001100 <f>:\n"
		    "           f():\n"
		    "           /src/a.c:7\n"
		    "        0:   nop\n"
		    " 99.00     ↑ jne 0\n"
		    "  1.00     ← ret\n");
	listing_destroy(l);
}

static void what_steers_a_terminal_is_shown(void **state)
{
	struct listing *l = make("f\033[2J");
	struct out out;
	size_t n;
	out_init_mem(&out);
	text_listing(&out, l, &plain);
	text_listing_compact(&out, l, &plain);
	const char *text = out_mem(&out, &n);
	assert_null(memchr(text, '\033', n));
	error_destroy(out_close(&out));
	listing_destroy(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_those_of_the_reference),
		cmocka_unit_test(what_steers_a_terminal_is_shown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
