/* URL parameters. */
#include <ctype.h>
#include <string.h>

#include "web/server.h"

static void add_encoded(struct strbuf *b, const char *s)
{
	for (; *s; s++) {
		if (isalnum((unsigned char)*s) || strchr("-_.~", *s))
			strbuf_addch(b, *s);
		else
			strbuf_addf(b, "%%%02X", (unsigned char)*s);
	}
}

void web_query_add(struct strbuf *query, const char *name, const char *value)
{
	if (query->len)
		strbuf_addch(query, '&');
	add_encoded(query, name);
	strbuf_addch(query, '=');
	add_encoded(query, value);
}
