/*
 * Prints the code of a recording's functions with the values of each instruction, as text or JSON; or its records.
 *
 *	session_open(&session, …); recorded_code_print(&session, &options, out, &is_incomplete)
 *
 * Messages go through the session's host. One thread.
 */
#pragma once
#include "session/report/request.h"
#include "session/session.h"
#include "view/text/listing_text.h"

enum recorded_code_format { RECORDED_CODE_TEXT, RECORDED_CODE_COMPACT, RECORDED_CODE_JSON };

/* Types of data in place of code. */
struct recorded_types {
	bool shown;              /* those of the functions' accesses, with the cost of each member */
	const char *name;        /* only this type; or NULL */
	bool reasons, mnemonics; /* before them, why others are not known, and of which instructions */
};

struct recorded_code_options {
	const struct report_request *request; /* as in struct annotation_options, with code.look */
	const char *symbol;                   /* only this function; or NULL */
	bool skip_missing;                    /* do not report functions without code */
	bool raw;                             /* print every record in place of code */
	bool with_types;                      /* types of data beside instructions */
	struct recorded_types types;
	enum recorded_code_format format;
	enum listing_shown shown;
	struct listing_text_options colours;  /* colours of text; other members are not used */
};

/* If the recording is damaged, its complete records are used. *ret_incomplete: a requested function could not be listed. */
struct strobe_error *recorded_code_print(struct session *s, const struct recorded_code_options *options, struct out *out,
					 bool *ret_incomplete) _must_check_;
