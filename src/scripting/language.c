#include "scripting/language.h"

#include <string.h>

#include "base/text.h"
#include "perl_runtime.inc"
#include "python_runtime.inc"
#include "scripting/pickle.h"
#include "scripting/storable.h"

static const char *const python_words[] = { "Python", "python", "py", NULL };
static const char *const perl_words[] = { "Perl", "perl", "pl", NULL };

static const struct script_language languages[] = {
	{ "Python", python_words, "python3", "Python scripts require (3.8 or later)", python_runtime,
	  sizeof(python_runtime) - 1, &pickle_format, &python_events },
	{ "Perl", perl_words, "perl", "Perl scripts require (5.10 or later)", perl_runtime, sizeof(perl_runtime) - 1,
	  &storable_format, &perl_events },
};

static const struct script_language *by_word(const char *word, size_t n)
{
	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		for (const char *const *w = languages[i].words; *w; w++)
			if (strlen(*w) == n && !memcmp(*w, word, n))
				return &languages[i];
	return NULL;
}

struct strobe_error *script_language_find(const char *spec, const struct script_language **ret, const char **ret_path)
{
	const char *colon = strchr(spec, ':'), *slash = strchr(spec, '/');
	bool has_language = colon && (!slash || colon < slash);
	const char *dot = strrchr(spec, '.');
	*ret_path = has_language ? colon + 1 : spec;
	*ret = has_language ? by_word(spec, (size_t)(colon - spec)) : dot ? by_word(dot + 1, strlen(dot + 1)) : NULL;
	if (!*ret)
		return error_create(ERROR_USAGE, "unknown language of the script '%s': expected FILE.py, FILE.pl, python:FILE "
				    "or perl:FILE", spec);
	return NULL;
}

struct strobe_error *script_language_by_word(const char *word, const struct script_language **ret)
{
	*ret = by_word(word, strlen(word));
	return *ret ? NULL : error_create(ERROR_USAGE, "unknown language '%s': expected python, perl, FILE.py or FILE.pl", word);
}
