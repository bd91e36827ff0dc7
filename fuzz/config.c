/* Any bytes as a file of settings: each that is listed is found again, in the form of a switch as well. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config *c = config_create();
	struct strobe_error *err = config_parse(c, "settings", (const char *)data, size);
	if (err && !*err->message)
		abort();
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
