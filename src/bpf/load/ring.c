#include "bpf/load/ring.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/load/programs.h"

/* Of its count and the data. */
static size_t producer_bytes(const struct bpf_ring *r)
{
	uint64_t again = r->bytes < BPF_RING_RECORD_MAX ? r->bytes : BPF_RING_RECORD_MAX;
	return (size_t)sysconf(_SC_PAGESIZE) + r->bytes + again;
}

struct strobe_error *bpf_ring_map(const struct bpf_loaded *b, const char *name, uint64_t bytes, struct bpf_ring *ret)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = bpf_map_of(b, name);
	void *consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (consumer == MAP_FAILED)
		return error_errno(errno, "cannot map the ring buffer");
	ret->consumer = consumer;
	ret->bytes = bytes;
	void *producer = mmap(NULL, producer_bytes(ret), PROT_READ, MAP_SHARED, fd, (off_t)page);
	if (producer == MAP_FAILED)
		return error_errno(errno, "cannot map the ring buffer");
	ret->producer = producer;
	ret->data = (const uint8_t *)producer + page;
	return NULL;
}

void bpf_ring_unmap(struct bpf_ring *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	if (r->producer)
		munmap((void *)(uintptr_t)r->producer, producer_bytes(r));
	if (r->consumer)
		munmap(r->consumer, page);
	*r = (struct bpf_ring){};
}
