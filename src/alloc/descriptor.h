/*
 * Copies of descriptors. The libraries are also loaded into programs of musl, which lacks fcntl64(): glibc's headers call it for fcntl().
 */
#pragma once
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A copy with FD_CLOEXEC, with that number or a higher one; -1 and errno. */
static inline int descriptor_copy(int fd, int least)
{
	return (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, least);
}
