/*
 * The connections of a server, limited so that no client can block others.
 *
 * A connection must send a complete request within a time limit after it was opened or last answered, however slowly bytes arrive. If
 * there are too many, the oldest one that is not being answered is closed, or else the oldest, of the peer with most of them.
 * "Closed" means shutdown(2): the owner of the socket sees its end, removes it here and closes it.
 *
 * A separate thread enforces the time limit; it sleeps while no connection has one. All functions may be called from any
 * thread.
 */
#pragma once
#include <stdbool.h>
#include <sys/socket.h>

#include "base/error.h"

struct web_connections;
struct web_connection;

struct strobe_error *web_connections_create(unsigned connections_max, unsigned request_ms, struct web_connections **ret) _must_check_;
/* Requires that all connections were removed. NULL is fine. */
void web_connections_destroy(struct web_connections *c);

/* fd is borrowed until web_connection_remove(). peer: its address, or NULL. */
struct web_connection *web_connection_add(struct web_connections *c, int fd, const struct sockaddr *peer);
/* Call these when a complete request was received, and when its answer was sent. */
void web_connection_begin_answer(struct web_connection *w);
void web_connection_end_answer(struct web_connection *w);
void web_connection_remove(struct web_connection *w);
