/*
 * Counts the words of a text: the program that ./demo records. It has a fault that a profile finds at once: for each word of the text,
 * find() walks along a list of all words so far, and nearly all of the time goes there. Prints the five most frequent words.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 6000
#define LENGTH    12

struct word {
	char letters[LENGTH];
	unsigned count;
};

static struct word list[WORDS_MAX];
static size_t list_len;

/* Words as a language has them: few are frequent, many are rare. */
static void next_word(uint64_t *state, char *letters)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	uint64_t random = *state >> 33, rank = random % WORDS_MAX * (random / WORDS_MAX % WORDS_MAX) / WORDS_MAX;
	size_t at = 0;
	do {
		letters[at++] = "bdfklmnprstv"[rank % 12];
		letters[at++] = "aeiou"[rank / 12 % 5];
	} while ((rank /= 60));
	letters[at] = 0;
}

static inline int same_word(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

__attribute__((noinline)) static struct word *find(const char *letters)
{
	for (size_t i = 0; i < list_len; i++)
		if (same_word(list[i].letters, letters))
			return &list[i];
	memcpy(list[list_len].letters, letters, LENGTH);
	return &list[list_len++];
}

__attribute__((noinline)) static void count(size_t words)
{
	uint64_t state = 1;
	char letters[LENGTH];
	for (size_t i = 0; i < words; i++) {
		next_word(&state, letters);
		find(letters)->count++;
	}
}

static int by_count(const void *a, const void *b)
{
	const struct word *x = a, *y = b;
	return (y->count > x->count) - (y->count < x->count);
}

int main(int argc, char **argv)
{
	count(argc > 1 ? (size_t)atol(argv[1]) : 400000);
	qsort(list, list_len, sizeof(*list), by_count);
	for (size_t i = 0; i < 5 && i < list_len; i++)
		printf("%6u %s\n", list[i].count, list[i].letters);
	return 0;
}
