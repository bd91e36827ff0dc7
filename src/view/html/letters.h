/*
 * Encodes bytes as letters for a script element: each 13 bits, the lowest first, become two letters, where base64 encodes
 * 12 bits in two. Letters are the printable ASCII characters from '#' on except '<', so that they cannot end the element.
 * The number of bytes is not encoded. data.js reads them (bytesOfLetters()).
 *
 * Source: 91 letters as in basE91 (base91.sourceforge.net), but always 13 bits, which needs no branch.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

void letters_write(const uint8_t *p, size_t n, struct out *out);
