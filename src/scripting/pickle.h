/*
 * Writes values for Python's pickle module: each batch is one pickle of a flat list.
 *
 * Repeated strings are sent once and then by their number in the reader's memo, which lasts as long as the stream: one Unpickler
 * reads all batches. Invalid UTF-8 is encoded as by Python's surrogateescape. The context is perf_script_context of the module
 * perf_trace_context. Source: Lib/pickletools.py of Python, protocol 5.
 */
#pragma once
#include "scripting/values.h"

extern const struct value_format pickle_format;
