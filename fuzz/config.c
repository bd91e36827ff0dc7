/* Any bytes as a file of settings: each listed setting is found again, also as a boolean. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/config_edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A value that needs quotes is read again, and no other setting changes. */
static void check_edit(const struct config *c, const char *text, size_t size, const char *key)
{
	struct config_change change = { key, " a # \"b\"\\\n" };
	struct strbuf edited = {};
	struct config *again = config_create();
	if (config_edit("settings", text, size, &change, &edited) ||
	    config_parse(again, "edited", strbuf_str(&edited), edited.len) ||
	    strcmp(config_get(again, key), change.value) != 0)
		abort();
	for (size_t i = 0; i < config_count(c); i++) {
		const char *other, *value;
		config_at(c, i, &other, &value);
		if (strcasecmp(other, key) && strcmp(config_get(again, other), config_get(c, other)) != 0)
			abort();
	}
	config_destroy(again);
	strbuf_deinit(&edited);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config *c = config_create();
	struct strobe_error *err = config_parse(c, "settings", (const char *)data, size);
	if (err && !*err->message)
		abort();
	if (!err && size < 4096) {
		const char *first = "", *value;
		if (config_count(c))
			config_at(c, 0, &first, &value);
		check_edit(c, (const char *)data, size, "core.new");
		if (*first)
			check_edit(c, (const char *)data, size, first);
	}
	error_destroy(err);
	for (size_t i = 0; i < config_count(c); i++) {
		const char *key, *value;
		bool on;
		config_at(c, i, &key, &value);
		if (!config_get(c, key) || strlen(value) > size + strlen("true"))
			abort();
		error_destroy(config_bool(c, key, false, &on));
	}
	config_destroy(c);
	return 0;
}
