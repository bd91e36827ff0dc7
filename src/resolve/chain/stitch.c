#include "resolve/chain/stitch.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "resolve/chain/chain.h"

#define REGISTERS_MAX 256  /* more than any processor has */
#define STITCHED_MAX  4096 /* calls; deeper stacks are recursions */
#define THREADS_MAX   4096 /* in a live session; then all are reset */

struct stitch_thread {
	struct perf_branch_entry last[REGISTERS_MAX]; /* of the sample before, newest first */
	uint64_t last_nr, last_top;                   /* top: the register with the newest */
	VEC(uint64_t) callers;                        /* of the calls in `last`, innermost first */
};

void stitches_init(struct stitches *s, const struct env *env)
{
	*s = (struct stitches){ .env = env };
}

static uint64_t registers_of(const struct env *env)
{
	for (size_t i = 0; i < env->pmu_caps.len; i++)
		for (uint32_t j = 0; j < env->pmu_caps.data[i].caps_nr; j++)
			if (text_has_prefix(env->pmu_caps.data[i].caps[j], "branches=")) {
				uint64_t n = strtoull(env->pmu_caps.data[i].caps[j] + strlen("branches="), NULL, 10);
				return n <= REGISTERS_MAX ? n : 0;
			}
	return 0;
}

static void forget_threads(struct stitches *s)
{
	for (size_t i = 0; i < s->all.len; i++) {
		vec_deinit(&s->all.data[i]->callers);
		free(s->all.data[i]);
	}
	vec_deinit(&s->all);
	u64map_deinit(&s->threads);
}

void stitches_deinit(struct stitches *s)
{
	forget_threads(s);
}

static struct stitch_thread *thread_of(struct stitches *s, const struct sample *x)
{
	bool is_new;
	if (s->all.len == THREADS_MAX)
		forget_threads(s);
	uint64_t *known = u64map_put(&s->threads, (uint64_t)x->pid << 32 | x->tid, &is_new);
	if (is_new) {
		vec_push(&s->all, xcalloc(1, sizeof(struct stitch_thread)));
		*known = s->all.len;
	}
	return s->all.data[*known - 1];
}

/* The index, in the sample before, of this sample's oldest call, by its register; last_nr: not found. */
static uint64_t find_base(const struct stitch_thread *t, const struct sample *x, uint64_t registers)
{
	uint64_t base = (x->branch_hw_idx + registers - (x->branch_nr - 1)) % registers;
	uint64_t at = (t->last_top + registers - base) % registers;
	return at < t->last_nr && !memcmp(&t->last[at], &x->branches[x->branch_nr - 1], sizeof(t->last[at])) ? at : t->last_nr;
}

/* The callers of this sample's oldest call: the calls outside of it in the sample before, and their callers. */
static void stitch(struct stitch_thread *t, uint64_t base)
{
	uint64_t more = t->last_nr - base - 1, kept = t->callers.len;
	if (kept + more > STITCHED_MAX)
		kept = STITCHED_MAX - more;
	t->callers.len = kept;
	if (!more)
		return;
	vec_extend(&t->callers, more);
	memmove(t->callers.data + more, t->callers.data, kept * sizeof(*t->callers.data));
	for (uint64_t i = 0; i < more; i++)
		t->callers.data[i] = t->last[base + 1 + i].from;
}

/* NULL: nothing is known about the callers. */
static const struct stitch_thread *note_calls(struct stitches *s, const struct sample *x)
{
	if (!s->env || !x->has_branch_hw_idx)
		return NULL;
	if (!s->registers)
		s->registers = registers_of(s->env);
	if (!s->registers)
		return NULL;
	struct stitch_thread *t = thread_of(s, x);
	bool fits = x->branch_nr && x->branch_nr <= s->registers && x->branch_hw_idx < s->registers;
	uint64_t base = fits ? find_base(t, x, s->registers) : t->last_nr;
	if (base < t->last_nr)
		stitch(t, base);
	else
		vec_clear(&t->callers);
	t->last_nr = fits ? x->branch_nr : 0;
	t->last_top = x->branch_hw_idx;
	if (fits)
		memcpy(t->last, x->branches, x->branch_nr * sizeof(*t->last));
	return t;
}

bool stitch_join_calls(struct stitches *s, const struct sample *x, const uint64_t *words, uint32_t words_nr, uint32_t max,
		       stitch_words *to)
{
	vec_clear(to);
	vec_reserve(to, words_nr + x->branch_nr + 2);
	to->len = chain_join_calls(words, words_nr, x->branches, x->branch_nr, max, to->data);
	const struct stitch_thread *t = to->len ? note_calls(s, x) : NULL;
	if (t && t->callers.len)
		memcpy(vec_extend(to, t->callers.len), t->callers.data, t->callers.len * sizeof(*t->callers.data));
	return to->len;
}
