/*
 * The part of an evaluation loop that the compiler moved away, where no symbol says which it is: the one function in whose midst
 * jumps of the loop end. Such jumps go to the beginning of a function otherwise. x86 alone; *ret is not changed if there is none.
 */
#pragma once
#include "interp/interpreter.h"

void interpreter_find_cold(struct object *o, struct interpreter_range loop, struct interpreter_range *ret);
