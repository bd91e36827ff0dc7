/* Code in the sections that the kernel and its modules have, with calls inlined into each. */
#define IN(name) __attribute__((section(name), noinline))

volatile unsigned long sink;
extern void elsewhere(unsigned long value);

static inline __attribute__((always_inline)) unsigned long mix(unsigned long a, unsigned long b)
{
	a ^= b << 13;
	a += b >> 7;
	return a * 31;
}

static inline __attribute__((always_inline)) unsigned long twice(unsigned long a)
{
	unsigned long once = mix(a, sink);
	sink = once;
	return mix(once, a);
}

unsigned long plain(unsigned long n)
{
	unsigned long sum = 0;
	for (unsigned long i = 0; i < n; i++)
		sum += twice(i);
	elsewhere(sum);
	return sum;
}

static __attribute__((noinline)) unsigned long local(unsigned long n)
{
	return n > 3 ? twice(n) : mix(n, 2);
}

IN(".text.unlikely") void fails(unsigned long n)
{
	sink = local(n);
	elsewhere(twice(n));
}

IN(".noinstr.text") void entry(unsigned long n)
{
	if (n > sink)
		elsewhere(mix(n, 1));
	sink = twice(n);
}

IN(".exit.text") void leave(void)
{
	sink = plain(mix(sink, 3));
}

IN(".init.text") void start(void)
{
	sink = twice(local(plain(4)));
}
