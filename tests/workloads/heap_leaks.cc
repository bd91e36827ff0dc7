/*
 * Planted leaks and reachable blocks that resemble them, in C++ and threads: heap_leaks. Leaked: 7 blocks of 100 bytes by lose(), a
 * ring of 3 nodes by lose_ring(), 5 vectors of 40 bytes by lose_vectors(), and 2 blocks of 60 bytes in each of 4 threads by
 * lose_in_thread(). All else is reachable: by globals, thread-local storage, a running thread's stack, an address within a block, a
 * chain of blocks.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <map>
#include <string>
#include <vector>

#define HERE __attribute__((noinline))
/* To the compiler it is in use: an allocation without a use would be removed. */
#define USED(p) __asm__ volatile("" : : "r"(p) : "memory")

struct node {
	node *next;
	long value[5];
};

static node *volatile chain;
static char *volatile inside;
static std::map<std::string, std::vector<int>> names;
static thread_local void *volatile own;
static sem_t ready, never;

/* Overwrites what calls leave on the stack: it would make blocks reachable. */
HERE static void clear_stack()
{
	volatile char space[16384];
	memset((void *)space, 0, sizeof(space));
	USED(space);
}

HERE void lose()
{
	for (int i = 0; i < 7; i++)
		USED(memset(malloc(100), 0, 100));
}

HERE void lose_ring()
{
	node *a = new node(), *b = new node(), *c = new node();
	a->next = b;
	b->next = c;
	c->next = a;
	USED(a);
}

HERE void lose_vectors()
{
	for (int i = 0; i < 5; i++) {
		auto *v = new std::vector<int>();
		v->reserve(10);
		USED(v);
	}
}

HERE void *lose_in_thread(void *)
{
	for (int i = 0; i < 2; i++)
		USED(memset(malloc(60), 0, 60));
	return nullptr;
}

HERE void keep()
{
	for (int i = 0; i < 100; i++) {
		node *n = new node();
		n->next = chain;
		chain = n;
	}
	inside = (char *)malloc(5000) + 2500;

	own = malloc(77);

	names["a name that is too long to be kept in place"] = { 1, 2, 3 };
}

HERE void *keep_on_stack(void *)
{
	void *volatile local = malloc(88);
	USED(local);
	own = malloc(99);
	sem_post(&ready);
	sem_wait(&never);
	return local;
}

int main()
{
	pthread_t threads[4], waiting;
	sem_init(&ready, 0, 0);
	sem_init(&never, 0, 0);
	keep();
	lose();
	lose_ring();
	lose_vectors();
	for (pthread_t &t : threads)
		pthread_create(&t, nullptr, lose_in_thread, nullptr);
	for (pthread_t &t : threads)
		pthread_join(t, nullptr);
	pthread_create(&waiting, nullptr, keep_on_stack, nullptr);
	sem_wait(&ready);
	clear_stack();
	exit(0);
}
