#include "view/live/keys.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/text.h"
#include "session/live/pace.h"
#include "view/text/lines.h"

enum kind {
	KIND_REFRESH, /* changes nothing */
	KIND_QUIT,
	KIND_FLAG,
	KIND_NO_CODE,
	/* Those with a question: */
	KIND_DELAY,
	KIND_COUNT,
	KIND_PERCENT,
	KIND_EVENT,
	KIND_FUNCTION,
};

struct live_key {
	const char *keys, *what;
	enum kind kind;
	size_t at;            /* of the value in struct live_display */
	const char *question; /* if not the description */
	const char *zero;     /* meaning of 0, for counts */
};

#define AT(field) offsetof(struct live_display, field)

static const struct live_key all_keys[] = {
	{ "d", "seconds between refreshes", KIND_DELAY, AT(sampling.delay_s) },
	{ "e", "rows", KIND_COUNT, AT(rows), .question = "rows (0: automatic)", .zero = "automatic" },
	{ "E", "event", KIND_EVENT },
	{ "f", "only rows with more samples than", KIND_COUNT, AT(samples_above) },
	{ "F", "only code with at least this share", KIND_PERCENT, AT(code_least_percent),
	  .question = "only code with at least this percentage" },
	{ "s", "code of a function", KIND_FUNCTION, .question = "code of the function" },
	{ "S", "stop showing code", KIND_NO_CODE },
	{ "K", "hide kernel samples", KIND_FLAG, AT(sampling.hide_kernel) },
	{ "U", "hide user samples", KIND_FLAG, AT(sampling.hide_user) },
	{ "z", "only samples since the last refresh", KIND_FLAG, AT(sampling.last_only) },
	{ " ", "refresh at once", KIND_REFRESH },
	{ "qQ", "quit", KIND_QUIT },
};

#define KEYS_NR (sizeof(all_keys) / sizeof(*all_keys))

void live_keys_init(struct live_keys *k, const struct live_session *l, struct live_display *display)
{
	const struct env *env = live_env(l);
	struct live_key_event *events = xcalloc(env->events.len + 1, sizeof(*events));
	for (size_t i = 0; i < env->events.len; i++)
		events[i] = (struct live_key_event){ env->events.data[i].name, l->events.events.data[i].is_dummy };
	*k = (struct live_keys){ .display = display, .events = events, .events_nr = (uint32_t)env->events.len };
}

void live_keys_deinit(struct live_keys *k)
{
	free((void *)k->events);
	*k = (struct live_keys){};
}

static void *value_of(const struct live_keys *k, const struct live_key *key)
{
	return (char *)k->display + key->at;
}

static bool needs_input(const struct live_key *key)
{
	return key->kind >= KIND_DELAY;
}

/* ---- values ---- */

/* Prints the value of a key; false: it has none. */
static bool print_value(const struct live_keys *k, const struct live_key *key, struct strbuf *b)
{
	const struct live_display *d = k->display;
	const void *value = value_of(k, key);
	switch (key->kind) {
	case KIND_FLAG:
		strbuf_addstr(b, *(const bool *)value ? "yes" : "no");
		return true;
	case KIND_DELAY:
		strbuf_addf(b, "%g", *(const double *)value);
		return true;
	case KIND_PERCENT:
		strbuf_addf(b, "%g%%", *(const double *)value);
		return true;
	case KIND_COUNT:
		if (!*(const uint64_t *)value && key->zero)
			strbuf_addstr(b, key->zero);
		else
			strbuf_addf(b, "%llu", (unsigned long long)*(const uint64_t *)value);
		return true;
	case KIND_EVENT:
		strbuf_addstr(b, d->event ? k->events[d->event - 1].name : "all");
		return true;
	case KIND_FUNCTION:
		strbuf_addstr(b, d->function ? d->function : "none");
		return true;
	default:
		return false;
	}
}

static bool set_number(double *to, const char *text, bool (*is_valid)(double v))
{
	double v;
	if (!text_to_f64(text, &v) || !is_valid(v))
		return false;
	*to = v;
	return true;
}

static bool is_percentage(double v)
{
	return v >= 0 && v <= 100;
}

/* A number in the list of events; anything else selects all events. */
static void set_event(struct live_keys *k, const char *text)
{
	uint64_t n;
	k->display->event = text_to_u64(text, &n) && n < k->events_nr ? (uint32_t)n + 1 : 0;
}

/* False: not a valid value. */
static bool set_value(struct live_keys *k, const struct live_key *key, const char *text)
{
	switch (key->kind) {
	case KIND_DELAY: return set_number(value_of(k, key), text, pace_is_valid_delay);
	case KIND_PERCENT: return set_number(value_of(k, key), text, is_percentage);
	case KIND_COUNT: return text_to_u64(text, value_of(k, key));
	case KIND_EVENT: set_event(k, text); return true;
	case KIND_FUNCTION:
		if (!*text)
			return false;
		memcpy(k->function, text, strlen(text) + 1); /* typed: it fits */
		k->display->function = k->function;
		return true;
	default: return false;
	}
}

static enum live_key_result act(struct live_keys *k, const struct live_key *key)
{
	bool *flag = value_of(k, key);
	if (key->kind == KIND_QUIT)
		return LIVE_KEY_QUIT;
	if (key->kind == KIND_NO_CODE)
		k->display->function = NULL;
	if (key->kind == KIND_FLAG)
		*flag = !*flag;
	return LIVE_KEY_REFRESH;
}

/* ---- what the terminal shows ---- */

static void print_events(const struct live_keys *k, struct strbuf *b)
{
	strbuf_addstr(b, "event (");
	for (uint32_t i = 0; i < k->events_nr; i++)
		if (!k->events[i].is_dummy)
			strbuf_addf(b, "%u %s, ", i, k->events[i].name);
	strbuf_addstr(b, "all)");
}

void live_keys_print_question(const struct live_keys *k, struct out *o)
{
	_cleanup_strbuf_ struct strbuf text = {};
	if (!k->asking)
		return;
	if (k->asking->kind == KIND_EVENT)
		print_events(k, &text);
	else
		strbuf_addstr(&text, k->asking->question ? k->asking->question : k->asking->what);
	out_f(o, "\033[%u;1H\033[K%s: ", k->rows, strbuf_str(&text));
	out_text(o, k->typed, k->typed_nr);
}

static void print_list(const struct live_keys *k, struct out *o)
{
	struct out text;
	size_t n;
	out_init_mem(&text);
	out_str(&text, "Keys:\n");
	for (size_t i = 0; i < KEYS_NR; i++) {
		const struct live_key *key = &all_keys[i];
		_cleanup_strbuf_ struct strbuf now = {};
		bool has_value = print_value(k, key, &now);
		out_f(&text, has_value ? "  [%s]%*s %-40s (%s)\n" : "  [%s]%*s %s\n", *key->keys == ' ' ? "Space" : key->keys,
		      *key->keys == ' ' ? 0 : 5 - (int)strlen(key->keys), "", key->what, strbuf_str(&now));
	}
	out_str(&text, "Any other key resumes\n");
	const char *all = out_mem(&text, &n);
	out_str(o, "\033[H");
	text_clipped(o, all, n, k->rows, k->columns);
	error_destroy(out_close(&text));
}

/* ---- keys ---- */

/* Enter sets the value typed, Esc keeps the old one. */
static enum live_key_result type(struct live_keys *k, char key, struct out *o)
{
	enum live_key_result result = LIVE_KEY_NONE;
	if (key == '\n' || key == '\r') {
		k->typed[k->typed_nr] = '\0';
		result = set_value(k, k->asking, k->typed) ? LIVE_KEY_REFRESH : LIVE_KEY_NONE;
		k->asking = NULL;
	} else if (key == '\033') {
		k->asking = NULL;
	} else if (key == '\177' || key == '\b') {
		k->typed_nr -= k->typed_nr > 0;
	} else if ((unsigned char)key >= ' ' && k->typed_nr + 1 < sizeof(k->typed)) {
		k->typed[k->typed_nr++] = key;
	}
	if (!k->asking && !result)
		out_f(o, "\033[%u;1H\033[K", k->rows);
	live_keys_print_question(k, o);
	return result;
}

static const struct live_key *find_key(char key)
{
	for (size_t i = 0; key && i < KEYS_NR; i++)
		if (strchr(all_keys[i].keys, key))
			return &all_keys[i];
	return NULL;
}

enum live_key_result live_keys_take(struct live_keys *k, char key, struct out *o)
{
	if (k->asking)
		return type(k, key, o);
	const struct live_key *found = find_key(key);
	bool was_listed = k->is_listed;
	k->is_listed = !found && !was_listed;
	if (k->is_listed)
		print_list(k, o);
	if (found && !needs_input(found))
		return act(k, found);
	k->asking = found;
	k->typed_nr = 0;
	live_keys_print_question(k, o);
	return was_listed ? LIVE_KEY_REFRESH : LIVE_KEY_NONE;
}
