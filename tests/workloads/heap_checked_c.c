/*
 * The heap checker by its functions for C: heap_checked_c. The program knows what it leaks; its exit status is the number of the leak
 * that was not found.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc/heap_checker.h"

#define HERE    __attribute__((noinline))
#define USED(p) __asm__ volatile("" : : "r"(p) : "memory")

static void *volatile kept;

HERE static void clear_stack(void)
{
	volatile char space[16384];
	memset((void *)space, 0, sizeof(space));
	USED(space);
}

HERE static void lose(int n)
{
	for (int i = 0; i < n; i++)
		USED(memset(malloc(100), 0, 100));
}

HERE static void hide(void)
{
	void *p = malloc(70);
	strobe_leak_ignore((char *)p + 69);
	USED(p);
}

int main(void)
{
	struct strobe_leak_check outer, inner;
	size_t objects = 0, bytes = 0;
	if (!strobe_leak_check_is_active())
		return 1;
	strobe_leak_check_begin(&outer, "outer");
	kept = malloc(500);
	strobe_leak_check_begin(&inner, "inner");
	strobe_leaks_disable();
	lose(4);
	strobe_leaks_enable();
	hide();
	clear_stack();
	if (!strobe_leak_check_end(&inner, NULL, NULL))
		return 2;
	lose(6);
	clear_stack();
	if (strobe_leak_check_end(&inner, &objects, &bytes) || objects != 6 || bytes != 600)
		return 3;
	kept = NULL;
	clear_stack();
	if (strobe_leak_check_end(&outer, &objects, &bytes) || objects != 7 || bytes != 1100)
		return 4;
	strobe_leak_check_begin(&inner, "last");
	clear_stack();
	if (!strobe_leak_check_end(&inner, &objects, &bytes) || objects || bytes)
		return 5;
	return 0;
}
