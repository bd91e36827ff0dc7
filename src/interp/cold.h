/*
 * Finds the cold part of an evaluation loop, which the compiler moved elsewhere, if no symbol identifies it: the only function into
 * whose middle the loop jumps. Other jumps out of the loop go to the beginning of a function. Only x86; *ret is unchanged if there is
 * none.
 */
#pragma once
#include "interp/interpreter.h"

void interpreter_find_cold(struct object *o, struct interpreter_range loop, struct interpreter_range *ret);
