/*
 * The BPF programs that were loaded when a recording was made, as its header's text: "# bpf_prog_info 12: NAME addr … size …",
 * and a line for each function of a program that has several.
 *
 * Names are those of kallsyms: the tag of the code and, from the recorded BTF, what the function is called. Source: struct
 * bpf_prog_info in <linux/bpf.h>.
 */
#pragma once
#include "base/out.h"
#include "record/env.h"

void header_bpf_print(struct out *out, const struct env *env);
