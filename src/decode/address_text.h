/*
 * Addresses in the spellings of the kernel's %pI, %pM and %pU (printk-formats.rst). Bytes that are missing read as zeros.
 */
#pragma once
#include "base/out.h"
#include "decode/tracepoint.h"

/* variant: 'b' or 0, 'B', 'l', 'L'. */
void address_uuid(struct out *out, struct field_span s, char variant);
/* spec: "M", "m", "MF", "MR", "mR". */
void address_mac(struct out *out, struct field_span s, const char *spec);
/* spec: "I4", "i4", "I6", "i6", "I6c", "IS", "ISpc", … */
void address_ip(struct out *out, struct field_span s, const char *spec);
