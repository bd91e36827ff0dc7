/* Two functions of known shares: of the time in them, heavy() has three quarters and light() one, nearly all of it in inner(). */
#pragma once
#include <stdint.h>

#define HERE __attribute__((noinline))

static volatile uint64_t sink;

HERE void inner(int n)
{
	for (int i = 0; i < n; i++)
		sink += (uint64_t)i * 3;
}

HERE void heavy(void)
{
	inner(30000);
	sink++;
}

HERE void light(void)
{
	inner(10000);
	sink++;
}
