/*
 * What every unit test includes: cmocka with the headers it requires first.
 */
#pragma once
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

/* A test of behaviour in which QEMU's user emulation differs from the kernel (tests/run --emulator). */
#define skip_emulated()                         \
	do {                                    \
		if (getenv("STROBE_EMULATED")) \
			skip();                 \
	} while (0)

/* Fails the test with the sentence of the error. */
#define assert_ok(expr)                                         \
	do {                                                    \
		struct strobe_error *err_ = (expr);             \
		if (err_)                                       \
			fail_msg("%s: %s", #expr, err_->message); \
	} while (0)

#define assert_fails(expr, expected_code)                      \
	do {                                                   \
		struct strobe_error *err_ = (expr);            \
		assert_non_null(err_);                         \
		assert_int_equal(err_->code, (expected_code)); \
		error_destroy(err_);                           \
	} while (0)
