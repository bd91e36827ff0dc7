#include "scripting/handlers.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"

void script_handlers_init(struct script_handlers *h)
{
	*h = (struct script_handlers){};
	strtab_init(&h->names);
}

void script_handlers_deinit(struct script_handlers *h)
{
	strtab_deinit(&h->names);
	vec_deinit(&h->arguments);
}

void script_handlers_add(struct script_handlers *h, const char *line, size_t n)
{
	const char *blank = memchr(line, ' ', n);
	uint64_t count;
	h->complete |= !n;
	if (!blank)
		return;
	_cleanup_free_ char *digits = xstrndup(blank + 1, n - (size_t)(blank + 1 - line));
	if (!text_to_u64(digits, &count) || count > 255)
		return;
	str_id id = strtab_add_n(&h->names, line, (size_t)(blank - line));
	while (h->arguments.len <= id)
		vec_push(&h->arguments, 0u);
	h->arguments.data[id] = (unsigned)count;
}

size_t script_handlers_take(struct script_handlers *h, const char *text, size_t n)
{
	size_t used = 0;
	const char *newline;
	while (!h->complete && (newline = memchr(text + used, '\n', n - used))) {
		size_t end = (size_t)(newline - text);
		script_handlers_add(h, text + used, end - used);
		used = end + 1;
	}
	return used;
}

bool script_handlers_find(const struct script_handlers *h, const char *name, unsigned *ret_arguments)
{
	str_id id = strtab_find(&h->names, name);
	if (!id || id == IDSET_NONE || id >= h->arguments.len) /* 0 is the empty string */
		return false;
	if (ret_arguments)
		*ret_arguments = h->arguments.data[id];
	return true;
}
