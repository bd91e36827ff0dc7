/* The library that late.c loads. */
#include "burn.h"

void late_work(double ms);

__attribute__((noinline)) void late_work(double ms)
{
	BURN_MS(ms);
}
