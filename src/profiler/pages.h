/* The pages of strobe_serve(): /debug/pprof/… as in Go's net/http/pprof, /pprof/… as in gperftools. */
#pragma once
#include "profiler/request.h"

struct reply {
	int status; /* HTTP status */
	const char *type;
	int fd; /* a memory file with the body */
};

struct page_request {
	const struct request *head;
	const char *body; /* terminated by NUL */
	int connection;   /* a profile ends early if the client closes it */
};

/* *ret is set to 200 and text/plain with an open file; a page changes what differs. */
void pages_write(const struct page_request *q, struct reply *ret);
/* A response of one line with the reason. */
void pages_refuse(struct reply *ret, int status, const char *why);
