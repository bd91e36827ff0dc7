/*
 * Bytes as letters that may be in a script element: 13 bits of them, the lowest first, are two letters, where base64 has
 * 12 in two. Letters are the printable ASCII from '#' on but '<', so that nothing in them ends the element; how many bytes
 * there are is not encoded and must be known otherwise. data.js reads them (bytesOfLetters()).
 *
 * Source: 91 letters, as basE91 has them (base91.sourceforge.net), but always 13 bits: a loop without a choice.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

void letters_write(const uint8_t *p, size_t n, struct out *out);
