/* Parses the values of options of recordings. ERROR_USAGE names the expected values. */
#pragma once
#include "recording/recorder.h"

/* -D: "100", "-1", "10-20,30-40": into the schedule, and the first delay into *ret_delay_ms. */
struct strobe_error *recorder_delay_parse(const char *text, struct delay_schedule *ret, int64_t *ret_delay_ms) _must_check_;
/* --switch-output: "signal", a size ("100M") or a time ("30s"). */
struct strobe_error *recorder_switching_parse(const char *text, struct recorder_switching *ret) _must_check_;
/* -z: NULL is 1. */
struct strobe_error *recorder_compression_parse(const char *text, int *ret_level) _must_check_;
/* A size that is not 0: "4096", "100K", "64M", "2G". */
struct strobe_error *recorder_bytes_parse(const char *text, uint64_t *ret) _must_check_;
/* "node", "cpu". */
struct strobe_error *recorder_affinity_parse(const char *text, enum recorder_affinity *ret) _must_check_;
