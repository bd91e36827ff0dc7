/*
* A program whose leaks are checked: heap_checked WHAT. With GPERFTOOLS defined it uses gperftools' own header. Each part
 * prints what it found; what each leaks is in tests/live/heapcheck.py.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pthread.h>
#include <unistd.h>
#include <sys/wait.h>
#include <vector>

#ifdef GPERFTOOLS
#include <gperftools/heap-checker.h>
#else
#include "alloc/heap_checker.h"
#endif

#define HERE __attribute__((noinline))
/* To the compiler it is in use: an allocation without a use would be removed. */
#define USED(p) __asm__ volatile("" : : "r"(p) : "memory")

struct node {
	node *next;
	long value[5];
};

static const char *what = "";
static node *volatile kept;
static char *volatile odd; /* where the address of a block lies that is not aligned */

/* Overwrites what calls leave on the stack: it would make blocks reachable. */
HERE static void clear_stack()
{
	volatile char space[16384];
	memset((void *)space, 0, sizeof(space));
	USED(space);
}

HERE void lose(int n, size_t bytes)
{
	for (int i = 0; i < n; i++)
		USED(memset(malloc(bytes), 0, bytes));
}

HERE void keep(int n)
{
	for (int i = 0; i < n; i++) {
		node *first = new node();
		first->next = kept;
		kept = first;
	}
}

HERE node *pair()
{
	node *first = new node();
	first->next = new node();
	return first;
}

HERE void disable()
{
	HeapLeakChecker::Disabler disabler;
	for (int i = 0; i < 4; i++)
		USED(pair());
}

HERE void ignore()
{
	USED(HeapLeakChecker::IgnoreObject(&pair()->value[2])); /* an address within it */
}

HERE void ignore_not()
{
	node *n = pair();
	HeapLeakChecker::IgnoreObject(n);
	HeapLeakChecker::UnIgnoreObject(n);
}

HERE void *lose_in_thread(void *)
{
	lose(3, 100);
	return nullptr;
}

HERE void say_of(const char *name, HeapLeakChecker *checker)
{
	bool has_none = checker->NoLeaks();
	printf("%s %d %ld %ld\n", name, has_none, (long)checker->ObjectsLeaked(), (long)checker->BytesLeaked());
	fflush(stdout);
}

/* The frame of the check is where those of the calls before it were. */
#define say(name, checker) (clear_stack(), say_of(name, checker))

HERE void check_parts()
{
	HeapLeakChecker all("all");
	{
		HeapLeakChecker checker("clean");
		keep(3);
		disable();
		ignore();
		say("clean", &checker);
	}
	lose(2, 50);
	{
		HeapLeakChecker checker("lost");
		lose(7, 100);
		say("lost", &checker);
	}
	{
		HeapLeakChecker checker("not ignored");
		ignore_not();
		say("ignored", &checker);
	}
	{
		HeapLeakChecker checker("on the stack");
		node *volatile local = pair();
		say("stack", &checker);
		USED(local);
	}
	say("all", &all);
}

HERE void lose_all()
{
	pthread_t thread;
	for (int i = 0; i < 5; i++) {
		auto *v = new std::vector<int>();
		v->reserve(10);
		USED(v);
	}
	pthread_create(&thread, nullptr, lose_in_thread, nullptr);
	pthread_join(thread, nullptr);
	disable();
	ignore();
	keep(10);
}

/* What the constructor of an object with static storage loses, and what its destructor does. */
struct early {
	node *volatile own;
	early()
	{
		const char *lost = getenv("LOSE_EARLY");
		if (lost)
			lose(atoi(lost), 30);
		own = pair();
	}
	~early()
	{
		if (!strcmp(what, "destructor"))
			own = nullptr;
		else if (own)
			delete own->next, delete own;
		clear_stack();
	}
};
static early object;

static void release_kept()
{
	while (kept) {
		node *next = kept->next;
		delete kept;
		kept = next;
	}
}
REGISTER_HEAPCHECK_CLEANUP(kept, if (!strcmp(what, "cleanup")) release_kept();)

HERE static void lose_odd()
{
	odd = (char *)malloc(64);
	void *block = malloc(200);
	memcpy(odd + 3, &block, sizeof(block));
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "";
	printf("active %d\n", HeapLeakChecker::IsActive());
	if (!strcmp(what, "parts"))
		check_parts();
	if (!strcmp(what, "whole") || !strcmp(what, "cancel"))
		lose_all();
	if (!strcmp(what, "kept") || !strcmp(what, "cleanup"))
		keep(10);
	if (!strcmp(what, "odd"))
		lose_odd();
	clear_stack();
	if (!strcmp(what, "cancel")) {
		printf("none %d\n", HeapLeakChecker::NoGlobalLeaks());
		HeapLeakChecker *all = HeapLeakChecker::GlobalChecker();
		if (all)
			printf("%ld %ld\n", (long)all->ObjectsLeaked(), (long)all->BytesLeaked());
		HeapLeakChecker::CancelGlobalCheck();
	}
	fflush(stdout);
	if (!strcmp(what, "fork") && !fork()) {
		lose(5, 100);
		exit(7); /* a child is not checked */
	}
	int status;
	if (!strcmp(what, "fork"))
		printf("child %d\n", wait(&status) > 0 ? WEXITSTATUS(status) : -1);
	printf("end\n"); /* buffered unless it is a terminal: it must not be lost */
	return 3;
}
