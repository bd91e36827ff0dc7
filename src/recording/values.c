#include "recording/values.h"

#include <string.h>

#include "base/text.h"

#define COMPRESSION_MAX 22

struct strobe_error *recorder_delay_parse(const char *text, struct delay_schedule *ret, int64_t *ret_delay_ms)
{
	TRY(delay_parse(text, ret));
	*ret_delay_ms = 0;
	if (ret->never)
		*ret_delay_ms = -1;
	else if (ret->ranges.len) /* a range from 0 differs from no delay: events are disabled at its end */
		*ret_delay_ms = ret->ranges.data[0].start_ms ? (int64_t)ret->ranges.data[0].start_ms : 1;
	return NULL;
}

struct strobe_error *recorder_switching_parse(const char *text, struct recorder_switching *ret)
{
	if (!strcmp(text, "signal"))
		ret->by_signal = true;
	else if (text_to_duration_ns(text, &ret->interval_ns) && ret->interval_ns)
		ret->bytes = 0;
	else if (text_to_u64(text, &ret->bytes) || !text_to_bytes(text, &ret->bytes) || !ret->bytes)
		return error_create(ERROR_USAGE, "invalid value \"%s\": expected signal, a size (100M) or a time (30s, 5m, 1h)", text);
	return NULL;
}

struct strobe_error *recorder_compression_parse(const char *text, int *ret_level)
{
	uint64_t level = 1;
	if (text && (!text_to_u64(text, &level) || level > COMPRESSION_MAX))
		return error_create(ERROR_USAGE, "invalid compression level \"%s\": expected 1 to %d", text, COMPRESSION_MAX);
	*ret_level = (int)level;
	return NULL;
}

struct strobe_error *recorder_bytes_parse(const char *text, uint64_t *ret)
{
	return text_to_bytes(text, ret) && *ret ? NULL :
		error_create(ERROR_USAGE, "invalid size \"%s\": expected bytes, or 100K, 64M, 2G", text);
}

struct strobe_error *recorder_affinity_parse(const char *text, enum recorder_affinity *ret)
{
	if (!strcmp(text, "node"))
		*ret = RECORDER_AFFINITY_NODE;
	else if (!strcmp(text, "cpu"))
		*ret = RECORDER_AFFINITY_CPU;
	else
		return error_create(ERROR_USAGE, "invalid affinity \"%s\": expected node or cpu", text);
	return NULL;
}
