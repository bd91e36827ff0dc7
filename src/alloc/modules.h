/*
 * The objects with code in recorded call chains, as listed in the region: addresses, file, build ID.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cfi_object;
/* Adds the object that contains pc: see walk_report_objects(). */
void modules_add(uintptr_t pc, const struct cfi_object *o);
/* Whether one of them was unloaded or replaced. */
bool modules_changed(void);
