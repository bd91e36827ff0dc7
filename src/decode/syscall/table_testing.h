/* The table of x86-64's calls, created and destroyed around a group of tests, on every machine. */
#pragma once
#include "base/testing.h"
#include "decode/syscall.h"

static struct syscall_table *table;

static int set_up(void **state)
{
	table = syscall_table_create(&arch_x86_64);
	return !table;
}

static int tear_down(void **state)
{
	syscall_table_destroy(table);
	return 0;
}
