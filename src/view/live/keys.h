/*
 * Keys that change what text reports of a live profile show: some at once, some by a question in the last line of the terminal. A key
 * without a meaning prints the list of all, with their values.
 *
 * Keys change a struct live_display; the caller applies it. The session's names of events and the display are borrowed. One thread.
 */
#pragma once
#include "base/out.h"
#include "view/live/display.h"

struct live_key_event {
	const char *name;
	bool is_dummy; /* not offered */
};

struct live_keys {
	struct live_display *display;
	const struct live_key_event *events;
	uint32_t events_nr;
	unsigned rows, columns;        /* of the terminal: as it is now */
	bool is_listed;                /* all keys are shown, in place of the report */
	const struct live_key *asking; /* what is typed is its value; or NULL */
	char typed[256];
	size_t typed_nr;
	char function[256];            /* that display->function is, once it was typed */
};

enum live_key_result {
	LIVE_KEY_NONE,
	LIVE_KEY_REFRESH, /* the display has changed, or is to be printed again */
	LIVE_KEY_QUIT,
};

/* No question is open; events are those of a session, and live_keys_deinit() frees their list. */
void live_keys_init(struct live_keys *k, const struct live_session *l, struct live_display *display);
void live_keys_deinit(struct live_keys *k);
/* Takes a key, and writes what the terminal shows of it. */
enum live_key_result live_keys_take(struct live_keys *k, char key, struct out *o);
/* Writes the question again, where there is one, over what was printed since. */
void live_keys_print_question(const struct live_keys *k, struct out *o);
