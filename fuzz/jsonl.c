/* Any bytes as the stream of script --format jsonl: each line is read or refused, and what is read stays within the line. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dump/jsonl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct strobe_jsonl_record record;
static const char *line_begin, *line_end;

static void check_text(const char *text)
{
	if (text && (text < line_begin || text >= line_end || !memchr(text, '\0', (size_t)(line_end - text))))
		abort();
}

static void check_list(const struct strobe_jsonl_list *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct strobe_jsonl_field *f = &l->items[i];
		check_text(f->name);
		check_text(f->text);
		if (f->numbers && f->numbers + f->numbers_nr > record.numbers + record.numbers_nr)
			abort();
	}
}

static void check_frame(const struct strobe_jsonl_frame *f)
{
	check_text(f->sym);
	check_text(f->dso);
	check_text(f->file);
}

static void check_record(void)
{
	const char *texts[] = { record.type, record.format, record.arch, record.event, record.comm, record.trace, record.cgroup };
	const struct strobe_jsonl_list *lists[] = { &record.fields, &record.iregs, &record.uregs, &record.memory, &record.others };
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		check_text(texts[i]);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		check_list(lists[i]);
	check_frame(&record.leaf);
	for (uint32_t i = 0; i < record.frames_nr; i++)
		check_frame(&record.frames[i]);
	for (uint32_t i = 0; i < record.branches_nr; i++) {
		check_frame(&record.branches[i].from);
		check_frame(&record.branches[i].to);
		check_text(record.branches[i].type);
	}
	for (uint32_t i = 0; i < record.events_nr; i++)
		check_text(record.events[i].name);
}

/* A copy of its own, so that a byte beyond the line is found. */
static void read_line(const uint8_t *p, size_t n)
{
	char *line = malloc(n ? n : 1);
	if (!line)
		return;
	memcpy(line, p, n);
	line_begin = line;
	line_end = line + n;
	if (!strobe_jsonl_parse(line, n, &record))
		check_record();
	free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	while (data < end) {
		const uint8_t *next = memchr(data, '\n', (size_t)(end - data));
		read_line(data, (size_t)((next ? next : end) - data));
		data = next ? next + 1 : end;
	}
	return 0;
}
