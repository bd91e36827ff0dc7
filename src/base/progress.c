#include "base/progress.h"

/* Often enough to be smooth and to stop soon, rare enough to cost nothing. */
#define TICKS 1024

bool progress_tick(struct progress *p)
{
	if (!p->tick) {
		p->next_tick = UINT64_MAX;
		return true;
	}
	uint64_t step = p->total ? p->total / TICKS : 4096;
	p->next_tick = p->done + (step ? step : 1);
	if (p->tick(p->ctx, p))
		return true;
	p->next_tick = 0; /* keeps saying stop */
	return false;
}
