/*
 * Selects the allocations to count, and computes their weights.
 *
 * Samples are a Poisson process over the bytes that a thread allocates: distances are exponential, so an allocation of `size` bytes
 * is counted with the probability 1 - exp(-size / rate), whatever preceded it; dividing by that makes estimates unbiased. Logarithm
 * and exponential are implemented here, since this library does not link libm. Errors are below 1e-12.
 */
#pragma once
#include <stdint.h>

/* Bytes to the next sample; `random` is the thread's state. */
int64_t sampler_distance(uint64_t *random, uint64_t rate);
/* 1 / (1 - exp(-size / rate)). */
double sampler_weight(uint64_t size, uint64_t rate);
/* A new state from a seed and a number. */
uint64_t sampler_seed(uint64_t seed, uint64_t number);
