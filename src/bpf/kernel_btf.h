/* The running kernel's own BTF. ERROR_UNSUPPORTED where it brings none. */
#pragma once
#include "record/btf.h"
#include "sys/sys.h"

struct strobe_error *kernel_btf_load(const struct sys *sys, struct btf *ret) _must_check_;
