/*
 * The objects whose code is in the recorded call chains, as the region lists them: where they lie, their file, their build ID.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cfi_object;
/* The object in which pc lies: see walk_report_objects(). */
void modules_add(uintptr_t pc, const struct cfi_object *o);
/* Whether one of them is no longer where it was. */
bool modules_changed(void);
