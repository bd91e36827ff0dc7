/*
 * The types of the running kernel, cut down to those that an object of programs asks for.
 *
 * libbpf finds where fields lie in the running kernel (CO-RE) by all of its types: 5 MB, 10 ms. An object brings its own idea
 * of the structures that it looks at, with the fields that it reads (vmlinux_min.bpf.h); what is made here has these
 * structures and fields alone, with the sizes and offsets of the kernel. Structures that the kernel does not have, and fields
 * that they lack, are missing here too: libbpf decides what that means.
 *
 * Source: Documentation/bpf/btf.rst. One thread at a time.
 */
#pragma once
#include "base/error.h"
#include "base/strbuf.h"
#include "sys/sys.h"

struct btf; /* record/btf.h */

/* local: the object's own types. Appends BTF to *ret. */
void btf_cut(const struct btf *kernel, const struct btf *local, struct strbuf *ret);
/* The same of the running kernel, and of BTF as it stands in an object. */
struct strobe_error *btf_cut_kernel(const struct sys *sys, const void *local, size_t bytes, struct strbuf *ret) _must_check_;
