#include "statistics/counts.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "statistics/beta.h"

/* P(X >= b) of a + b draws, each with the given chance. */
static double upper_tail(double a, double b, double chance)
{
	return b > 0 ? incomplete_beta(b, a + 1, chance) : 1;
}

static double rate_of(double chance, double exposure)
{
	return chance < 1 ? chance / (1 - chance) / exposure : INFINITY;
}

struct count_change count_change(double a, double b, double exposure, double confidence)
{
	double chance = exposure / (1 + exposure), beyond = (1 - confidence) / 2;
	struct count_change c = { .ratio = NAN, .low = 0, .high = INFINITY, .p = 1 };
	if (!(a + b > 0))
		return c;
	c.ratio = a > 0 ? b / a / exposure : INFINITY;
	c.low = b > 0 ? rate_of(incomplete_beta_quantile(b, a + 1, beyond), exposure) : 0;
	c.high = a > 0 ? rate_of(incomplete_beta_quantile(b + 1, a, 1 - beyond), exposure) : INFINITY;
	double high = upper_tail(a, b, chance), low = upper_tail(b, a, 1 - chance);
	c.p = fmin(1, 2 * fmin(low, high));
	return c;
}

struct numbered {
	double p;
	size_t index;
};

static int compare_numbered(const void *pa, const void *pb)
{
	const struct numbered *a = pa, *b = pb;
	if (a->p != b->p)
		return a->p < b->p ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

void discoveries_adjust(double *p, size_t n)
{
	struct numbered *sorted = xcalloc(n + 1, sizeof(*sorted));
	size_t known = 0;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			sorted[known++] = (struct numbered){ p[i], i };
	qsort(sorted, known, sizeof(*sorted), compare_numbered);
	double least = 1;
	for (size_t i = known; i-- > 0;) {
		least = fmin(least, sorted[i].p * (double)known / (double)(i + 1));
		p[sorted[i].index] = least;
	}
	free(sorted);
}
