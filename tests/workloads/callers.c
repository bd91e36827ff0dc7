/*
 * One function that waits for two callers in turn, at the same depth and with the same registers: only a return address tells whose wait
 * it is. Prints "brief NS" and "lengthy NS": the time that the waits of each took.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define HERE __attribute__((noinline, noclone))

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int period_us; /* not in a register: the same ones in both */

HERE static void rest(void)
{
	usleep(period_us);
	asm volatile(""); /* not a tail call */
}

HERE static void brief(void)
{
	period_us = 2000;
	rest();
	asm volatile("");
}

HERE static void lengthy(void)
{
	period_us = 6000;
	rest();
	asm volatile("");
}

int main(void)
{
	long long at_ns, total_ns[2] = {};
	for (int i = 0; i < 40; i++) {
		at_ns = now_ns();
		brief();
		total_ns[0] += now_ns() - at_ns;
		at_ns = now_ns();
		lengthy();
		total_ns[1] += now_ns() - at_ns;
	}
	printf("brief %lld\nlengthy %lld\n", total_ns[0], total_ns[1]);
	return 0;
}
