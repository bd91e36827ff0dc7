#include "view/text/lines.h"

#include <string.h>

void text_first_lines(struct out *o, const char *text, size_t n, unsigned rows)
{
	const char *end = text + n;
	for (unsigned row = 0; text < end && row + 1 < rows; row++) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		size_t bytes = line_end ? (size_t)(line_end - text) + 1 : (size_t)(end - text);
		out_write(o, text, bytes);
		text += bytes;
	}
	if (text < end)
		out_ch(o, '\n');
}

static void clip_line(struct out *o, const char *text, const char *end, unsigned columns)
{
	unsigned at = 0;
	while (text < end) {
		const char *from = text;
		if (*text == '\033') {
			const char *m = memchr(text, 'm', (size_t)(end - text));
			text = m ? m + 1 : end;
		} else {
			text++;
			while (text < end && ((unsigned char)*text & 0xc0) == 0x80)
				text++;
			if (at++ >= columns)
				continue;
		}
		out_write(o, from, (size_t)(text - from));
	}
}

void text_clipped(struct out *o, const char *text, size_t n, unsigned rows, unsigned columns)
{
	const char *end = text + n;
	for (unsigned row = 0; text < end && row + 1 < rows; row++) {
		const char *line_end = memchr(text, '\n', (size_t)(end - text));
		line_end = line_end ? line_end : end;
		clip_line(o, text, line_end, columns);
		out_str(o, "\033[K\n");
		text = line_end + 1;
	}
	out_str(o, "\033[J");
}
