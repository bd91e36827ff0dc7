/*
 * The head of an HTTP request: what is requested, and by which host. Whatever sends it is hostile; nothing here allocates.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REQUEST_HEAD_MOST ((size_t)8192)
#define REQUEST_BODY_MOST ((size_t)4 << 20)

struct request {
	bool is_post, expects_continue, has_host, has_origin;
	char path[128], query[256], host[128], origin[128];
	size_t body_bytes;
};

/* Bytes of the head with its empty line, or 0 where that has not come yet. */
size_t request_head_bytes(const char *bytes, size_t n);
/* Reads a whole head; returns 0, or the status to answer with. */
int request_parse(const char *head, size_t n, struct request *ret);
/*
 * Whether it comes from this machine's own programs: a page of another site has its own name in Host, once that leads here, and in
 * Origin.
 */
bool request_is_local(const struct request *r);
/* A parameter of the query, or `otherwise` where it is not there; -1 where it is not a number of at most 9 digits. */
int64_t request_number(const struct request *r, const char *name, int64_t otherwise);
