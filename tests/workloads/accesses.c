/*
 * Data that threads would share, and functions that would access it: made recordings of memory accesses are of these addresses
 * (tests/lib/accesses.py). The program itself does nothing.
 */
#define LINE 64

/* Two counters of different threads in one cache line: false sharing. */
struct counters {
	long hits, misses;
	long unused[6];
} __attribute__((aligned(LINE)));
struct counters counters = { .hits = 1 };

/* Two lines that processors fetch together. */
struct pair {
	long first[8];
	long second[8];
} __attribute__((aligned(2 * LINE)));
struct pair pair = { .first = { 1 } };

/* One thread alone. */
long private[8] __attribute__((aligned(LINE))) = { 1 };

void count_hit(void)
{
	counters.hits++;
}

void count_miss(void)
{
	counters.misses++;
}

long read_both(void)
{
	return counters.hits + counters.misses;
}

void write_pair(long v)
{
	pair.first[0] = v;
	pair.second[0] = v;
}

long sum_private(void)
{
	return private[0] + private[1];
}

int main(void)
{
	return 0;
}
