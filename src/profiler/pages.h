/*
 * The pages of strobe_serve(): /debug/pprof/… as Go's net/http/pprof has them, /pprof/… as gperftools' programs.
 */
#pragma once
#include "profiler/request.h"

struct reply {
	int status; /* of HTTP */
	const char *type;
	int fd; /* a file in memory: what is to be sent */
};

struct page_request {
	const struct request *head;
	const char *body; /* ends with 0 */
	int connection;   /* a profile ends when nobody waits for it any more */
};

/* ret: with an open file, 200 and text/plain; a page changes what is otherwise. */
void pages_write(const struct page_request *q, struct reply *ret);
/* An answer that is one line: why not. */
void pages_refuse(struct reply *ret, int status, const char *why);
