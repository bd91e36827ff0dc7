/*
 * Keys that change the text reports of a live profile: some at once, some after a prompt in the last line of the terminal. An unknown key
 * lists all keys with their values.
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
	unsigned rows, columns;        /* current size of the terminal */
	bool is_listed;                /* the list of keys is shown in place of the report */
	const struct live_key *asking; /* key whose value is being typed; or NULL */
	char typed[256];
	size_t typed_nr;
	char function[256];            /* memory of display->function once it was typed */
};

enum live_key_result {
	LIVE_KEY_NONE,
	LIVE_KEY_REFRESH, /* the display has changed, or must be printed again */
	LIVE_KEY_QUIT,
};

/* Starts without a prompt. The events are those of a session; live_keys_deinit() frees their list. */
void live_keys_init(struct live_keys *k, const struct live_session *l, struct live_display *display);
void live_keys_deinit(struct live_keys *k);
/* Handles a key, and writes its echo to the terminal. */
enum live_key_result live_keys_take(struct live_keys *k, char key, struct out *o);
/* Prints the current prompt again, if any, after a report was printed. */
void live_keys_print_question(const struct live_keys *k, struct out *o);
