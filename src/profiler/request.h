/* Parses the head of an HTTP request: path, query and host. Requests are hostile; nothing here allocates. */
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

/* The size of the head including its empty line, or 0 if it is incomplete. */
size_t request_head_bytes(const char *bytes, size_t n);
/* Parses a complete head; returns 0, or the HTTP status of an error. */
int request_parse(const char *head, size_t n, struct request *ret);
/*
 * Whether it was sent by a program of this machine, not by a page of another site: that would have the site's name in Host, if its DNS
 * name leads here, or in Origin.
 */
bool request_is_local(const struct request *r);
/* A query parameter, or `otherwise` if missing; -1 if it is not a number with at most 9 digits. */
int64_t request_number(const struct request *r, const char *name, int64_t otherwise);
