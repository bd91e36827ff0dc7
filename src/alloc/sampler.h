/*
 * Which allocations are counted, and what each of them stands for.
 *
 * Samples lie in the bytes that a thread allocates like a Poisson process: their distances are exponential, so an allocation of
 * `size` bytes is counted with the probability 1 - exp(-size / rate), whatever was before it; dividing by that makes estimates
 * unbiased. Own logarithm and exponential: this library links no libm. Errors are below 1e-12.
 */
#pragma once
#include <stdint.h>

/* Bytes to the next sample; `random` is the thread's state. */
int64_t sampler_distance(uint64_t *random, uint64_t rate);
/* 1 / (1 - exp(-size / rate)). */
double sampler_weight(uint64_t size, uint64_t rate);
/* A new state from a seed and a number. */
uint64_t sampler_seed(uint64_t seed, uint64_t number);
