/*
 * The record stream under any attr: 128 bytes of attr, then records, in our byte order or (last bit of the attr's type)
 * the other one.
 */
#include <string.h>

#include "walk.h"

#define ATTR_BYTES 128

static void decode(const struct env *env, const uint8_t *at, size_t left)
{
	struct perf_event_header hdr;

	while (left >= sizeof(hdr)) {
		memcpy(&hdr, at, sizeof(hdr));
		if (env->swapped)
			record_swap_header(&hdr);
		if (hdr.size < sizeof(hdr) || hdr.size > left)
			return;
		/* Exactly as large as it is, so that a sanitizer sees a read beyond it. */
		uint8_t *exact = malloc(hdr.size);
		if (!exact)
			abort();
		memcpy(exact, at, hdr.size);
		memcpy(exact, &hdr, sizeof(hdr));
		if (!env->swapped || env_swap_record(env, exact))
			use_record(env, (struct record){ .hdr = (const void *)exact });
		free(exact);
		at += hdr.size;
		left -= hdr.size;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < ATTR_BYTES)
		return 0;
	struct env *env = env_create();
	uint64_t ids[] = { 1, 2 };
	struct perf_event_attr other = { .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP, .sample_id_all = 1 };
	env->swapped = data[0] & 1;
	env_add_event(env, data, ATTR_BYTES, NULL, &ids[0], 1);
	if (data[0] & 2)
		env_add_event(env, &other, sizeof(other), NULL, &ids[1], 1);
	decode(env, data + ATTR_BYTES, size - ATTR_BYTES);
	env_destroy(env);
	return 0;
}
