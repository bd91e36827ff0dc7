/*
 * Values as Python's pickle module reads them: each batch is one pickle of a flat list.
 *
 * Strings that come again are sent once and then by their number in the reader's memo, which lasts as long as the stream: one
 * Unpickler reads all batches. Bytes of a text that are not valid UTF-8 become what Python's surrogateescape makes of them. The
 * context is perf_script_context of the module perf_trace_context. Source: Lib/pickletools.py of Python, protocol 5.
 */
#pragma once
#include "scripting/values.h"

extern const struct value_format pickle_format;
