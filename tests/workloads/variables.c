/* Variables of all kinds, whose values a debugger can print at each instruction (tests/live/variables.py). */
#include <stdint.h>
#include <stdlib.h>

#ifdef __clang__
#define KEEP
#else
#define KEEP noclone
#endif
#define BARRIER(x) __asm__ volatile("" : : "r"(x) : "memory")
struct in { int a; unsigned b : 4; int c : 5; unsigned d : 9; };
struct st { struct in in; char name[16]; struct st *next; const char *text; int arr[4]; short sh; unsigned char uc; _Bool flag; };
static volatile int sink; long global_value = 123456789; static int hidden = -77; static struct st table[2];
__attribute__((noinline, KEEP)) long target(struct st *p, int n, const char *s, unsigned u, char c, short h, uint64_t big,
						      int stack8, struct in byval)
{
	long sum = n * 3L;
	struct in part = { n + 1, 2, -3, 5 };
	int doubled = n * 2; unsigned short narrow = (unsigned short)(u + 1);
	sink = doubled;
	for (int i = 0; i < 3; i++) {
		long k = (long)i * n;
		sum += k;
		sink = (int)sum;
	}
	BARRIER(part.a + (int)narrow);
	sink = part.a + part.c + (int)narrow + byval.a;
	sum += p->arr[n & 3] + s[0] + c + h + (long)big + stack8;
	sink = (int)sum;
	return sum + hidden + table[1].in.a;
}
static inline __attribute__((always_inline)) int inner(int v, struct st *q) { int w = v * 5; sink = w; return w + q->in.a; }
__attribute__((noinline, KEEP)) int outer(int x, struct st *y) { sink = x; int r = inner(x + 1, y); sink = r; return r; }
int main(void)
{
	struct st b = { .in = { 11, 9, -4, 300 }, .name = "second", .text = "beta", .arr = { 5, 6, 7, 8 },
			.sh = -30000, .uc = 200, .flag = 1 };
	struct st a = { .in = { -10, 3, 7, 511 }, .name = "first", .next = &b, .text = "alpha", .arr = { 1, 2, 3, 4 },
			.sh = 12345, .uc = 255 };
	table[0].in.a = 1000; table[1].in.a = 2000; table[1].next = &a; hidden -= getenv("NOPE") != NULL;
	struct in v = { 42, 1, 2, 3 };
	for (int i = 0; i < 2; i++) {
		sink = (int)target(&a, 7, "hello", 65535, 'x', -5, 0x123456789abcdefULL, -88, v);
		sink = outer(20, &b);
	}
	return 0;
}
