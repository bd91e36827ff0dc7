/* Memory of another process: process_vm_readv(2), with the permission of ptrace(2). Any thread. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Returns the number of bytes that could be read from address on: up to the end of a page if what follows cannot be. */
size_t process_read(pid_t pid, uint64_t address, void *ret, size_t bytes);
