/*
 * Accesses of known types: made recordings have samples at their instructions (tests/oracle/mem-types.py), which know the types and members
 * by function and displacement. -O1 -g keeps variables in registers.
 */
#include <stdlib.h>

struct inner {
	int a, b;
};
struct node {
	struct node *next;
	long key;
	struct inner in[4];
};
union either {
	long whole;
	struct inner parts;
};
struct holder {
	union either u;
	unsigned low : 4, high : 28;
	char tail[12];
};

struct node *head;
struct node fixed[3];
long total;
struct inner lone;

#define NOT_INLINED __attribute__((noinline, noclone))

NOT_INLINED long walk(struct node *n)
{
	long s = 0;
	for (; n; n = n->next)
		s += n->key + n->in[2].b;
	return s;
}

NOT_INLINED void put(struct node *n, long k)
{
	n->key = k;
	n->in[1].a = 3;
}

NOT_INLINED long globals(long i)
{
	return fixed[i].key + fixed[1].in[3].b + lone.b + total;
}

NOT_INLINED long on_stack(void)
{
	volatile struct inner x;
	x.a = 1;
	x.b = 2;
	return x.a + x.b;
}

NOT_INLINED void unclear(struct holder *h, void *nothing)
{
	h->u.whole = 7;
	h->tail[3] = 1;
	*(volatile char *)nothing = 1;
}

int main(void)
{
	struct node *n = calloc(1, sizeof(*n));
	struct holder h = {};
	head = n;
	put(n, 4);
	unclear(&h, n);
	return (int)(walk(n) + globals(2) + on_stack());
}
