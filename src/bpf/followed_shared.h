/*
 * The map of followed tasks: shared by task_filter.c and the BPF programs that filter.
 *
 * One value of words: the command before its exec, then a bit for each ID.
 */
#pragma once
#include <linux/types.h>

#define FOLLOWED_COMMAND 0 /* word: the thread ID of a command before its exec, which is not sampled yet; else 0 */
#define FOLLOWED_BITS    1 /* word: the first of bits */

/* In task_struct.flags of a task that has not called exec itself: PF_FORKNOEXEC. */
#define FOLLOWED_NO_EXEC 0x40

struct followed_settings {
	__u32 words; /* of bits, 64 to a word */
	__u32 by_thread;
};
