/*
 * Cleanup by scope: a local marked _cleanup_(f) is released when it leaves its block.
 *
 * take_ptr() transfers ownership: it clears the local, so that nothing is freed twice.
 */
#pragma once
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

static inline void cleanup_freep(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

#define _cleanup_free_ _cleanup_(cleanup_freep)
#define _cleanup_close_ _cleanup_(cleanup_closep)

#define take_ptr(p) ({ __typeof__(p) taken_ = (p); (p) = NULL; taken_; })
#define take_fd(fd) ({ int taken_ = (fd); (fd) = -1; taken_; })
