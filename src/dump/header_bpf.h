/*
 * The loaded BPF programs in a recording, as text of its header: "# bpf_prog_info 12: NAME addr … size …", and a line per function
 * of a program with several.
 *
 * Names are those in kallsyms: the tag of the code and, from the recorded BTF, the name of the function. Source: struct
 * bpf_prog_info in <linux/bpf.h>.
 */
#pragma once
#include "base/out.h"
#include "record/env.h"

void header_bpf_print(struct out *out, const struct env *env);
