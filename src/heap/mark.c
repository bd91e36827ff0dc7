#include "heap/mark.h"

#include <stdlib.h>
#include <string.h>

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

static void reach(struct mark *m, uint32_t at)
{
	m->blocks.data[at].is_reached = true;
	vec_push(&m->pending, at);
}

void mark_begin(struct mark *m)
{
	if (m->blocks.len)
		qsort(m->blocks.data, m->blocks.len, sizeof(*m->blocks.data), compare);
	m->buffer = xmalloc(CHUNK);
	for (uint32_t i = 0; i < m->blocks.len; i++)
		if (m->blocks.data[i].is_root)
			reach(m, i);
}

/* The index of the first block after an address. */
static size_t after(const struct mark *m, uint64_t address)
{
	return vec_search(&m->blocks, block, block->address <= address);
}

bool mark_has_blocks(const struct mark *m, uint64_t start, uint64_t end)
{
	size_t at = start ? after(m, start - 1) : 0;
	return at < m->blocks.len && m->blocks.data[at].address < end;
}

/*
 * glibc's malloc considers its chunks to begin 16 bytes before the blocks, in the last 8 bytes of the previous block: the address of the
 * top chunk, which the library holds, would reach the block before it.
 */
static bool is_end(const struct mark_block *b, uint64_t word)
{
	return word != b->address && word % 16 == 0 && b->address + b->size - word <= 8;
}

void mark_word(struct mark *m, uint64_t word)
{
	if (!m->blocks.len || word < m->blocks.data[0].address)
		return;
	size_t at = after(m, word) - 1;
	struct mark_block *b = &m->blocks.data[at];
	/* A block of size 0 is reached only by its address. */
	if (b->is_reached || word - b->address >= (b->size ? b->size : 1) || (m->offset_most && word - b->address > m->offset_most))
		return;
	if (m->skips_ends && is_end(b, word))
		return;
	reach(m, (uint32_t)at);
}

static void mark_bytes(struct mark *m, size_t bytes)
{
	unsigned step = m->step ? m->step : sizeof(uint64_t);
	uint64_t first = m->blocks.data[0].address, last = vec_last(&m->blocks).address + vec_last(&m->blocks).size, word;
	for (size_t at = 0; at + sizeof(word) <= bytes; at += step) {
		memcpy(&word, m->buffer + at, sizeof(word));
		if (word >= first && word <= last)
			mark_word(m, word);
	}
}

void mark_range(struct mark *m, uint64_t start, uint64_t end)
{
	uint64_t step = m->step ? m->step : sizeof(uint64_t);
	start = (start + step - 1) / step * step;
	while (start < end && m->blocks.len) {
		size_t bytes = end - start < CHUNK ? (size_t)(end - start) : CHUNK, got = m->read(m->ctx, start, m->buffer, bytes);
		mark_bytes(m, got);
		/* Unreadable memory contains no addresses: continues with the next page. A word may span two chunks. */
		if (got < bytes)
			start = ((start + got) & ~(uint64_t)4095) + 4096;
		else
			start += bytes == CHUNK && step < sizeof(uint64_t) ? CHUNK - sizeof(uint64_t) : bytes;
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
