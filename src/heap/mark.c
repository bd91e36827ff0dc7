#include "heap/mark.h"

#include <stdlib.h>

#include "base/mem.h"

#define CHUNK ((size_t)1 << 20)

void mark_deinit(struct mark *m)
{
	vec_deinit(&m->blocks);
	vec_deinit(&m->pending);
	free(m->buffer);
	m->buffer = NULL;
}

static int compare(const void *a, const void *b)
{
	const struct mark_block *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

void mark_begin(struct mark *m)
{
	if (m->blocks.len)
		qsort(m->blocks.data, m->blocks.len, sizeof(*m->blocks.data), compare);
	m->buffer = xmalloc(CHUNK);
}

/* The number of the first block after an address. */
static size_t after(const struct mark *m, uint64_t address)
{
	return vec_search(&m->blocks, block, block->address <= address);
}

bool mark_has_blocks(const struct mark *m, uint64_t start, uint64_t end)
{
	size_t at = start ? after(m, start - 1) : 0;
	return at < m->blocks.len && m->blocks.data[at].address < end;
}

void mark_word(struct mark *m, uint64_t word)
{
	if (!m->blocks.len || word < m->blocks.data[0].address)
		return;
	size_t at = after(m, word) - 1;
	struct mark_block *b = &m->blocks.data[at];
	/* A block without bytes is reached by its address alone. */
	if (b->is_reached || word - b->address >= (b->size ? b->size : 1))
		return;
	b->is_reached = true;
	vec_push(&m->pending, (uint32_t)at);
}

void mark_range(struct mark *m, uint64_t start, uint64_t end)
{
	start = (start + 7) & ~(uint64_t)7;
	while (start < end) {
		size_t bytes = end - start < CHUNK ? (size_t)(end - start) : CHUNK, got = m->read(m->ctx, start, m->buffer, bytes);
		if (!m->blocks.len)
			return;
		uint64_t first = m->blocks.data[0].address, last = vec_last(&m->blocks).address + vec_last(&m->blocks).size;
		for (size_t i = 0; i < got / sizeof(uint64_t); i++)
			if (m->buffer[i] >= first && m->buffer[i] <= last)
				mark_word(m, m->buffer[i]);
		/* What cannot be read holds no addresses: on with the next page. */
		start = got == bytes ? start + bytes : ((start + got) & ~(uint64_t)4095) + 4096;
	}
}

void mark_finish(struct mark *m)
{
	while (m->pending.len) {
		const struct mark_block *b = &m->blocks.data[vec_last(&m->pending)];
		m->pending.len--;
		mark_range(m, b->address, b->address + b->size);
	}
}
