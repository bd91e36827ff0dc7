#include "sys/process_memory.h"

#include <sys/uio.h>

size_t process_read(pid_t pid, uint64_t address, void *ret, size_t bytes)
{
	struct iovec to = { ret, bytes }, from = { (void *)(uintptr_t)address, bytes };
	ssize_t n = process_vm_readv(pid, &to, 1, &from, 1, 0);
	return n > 0 ? (size_t)n : 0;
}
