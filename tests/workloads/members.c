/*
 * Functions that each access known members, one after the other: made recordings have samples at their instructions
 * (tests/oracle/annotate-types.py), which knows the members.
 */
#include <stdlib.h>

struct owner {
	char name[16];
	int hits;
};
struct item {
	struct item *next;
	struct owner *owner;
	long value;
	struct owner spare[4];
};
struct list {
	struct item *first;
	int n;
};
struct other {
	long unused[5];
	struct other *link;
};

struct list all;
struct owner owners[8];

#define NOT_INLINED __attribute__((noinline, noclone))

/* No pointer but l is a variable. */
NOT_INLINED int chain(struct list *l)
{
	return l->first->next->owner->hits;
}

NOT_INLINED void nothing(void)
{
	__asm__ volatile("" ::: "memory");
}

/* The pointer is kept by a call. */
NOT_INLINED long across(struct list *l)
{
	struct item *i = l->first;
	nothing();
	return i->value;
}

NOT_INLINED long from_global(void)
{
	return all.first->value;
}

NOT_INLINED int elements(struct item *i, long k)
{
	return i->spare[k].hits;
}

/* The address of a member is computed first. */
NOT_INLINED void clear(struct owner *o)
{
	o->hits = 0;
}
NOT_INLINED void inner(struct item *i)
{
	clear(&i->spare[1]);
}

/* Of two types: which, only the run says. */
NOT_INLINED long either(struct item *i, struct other *o, int which)
{
	char *p = which & 1 ? (char *)i->next : (char *)o->link;
	nothing();
	return *(long *)(p + 16);
}

int main(int argc, char **argv)
{
	struct item *i = calloc(1, sizeof(*i)), *next = calloc(1, sizeof(*next));
	struct other *o = calloc(1, sizeof(*o));
	(void)argv;
	i->next = next;
	next->owner = &owners[argc & 7];
	o->link = o;
	all.first = i;
	inner(i);
	return (int)(chain(&all) + across(&all) + from_global() + elements(i, argc & 3) + either(i, o, argc));
}
