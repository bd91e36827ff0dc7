/*
 * The connections of a server: none may keep others out.
 *
 * A connection has to send a whole request within a time limit after it was opened or last answered, however slowly bytes
 * come. Where there are too many, the oldest one that is not being answered is closed, or else the oldest: of the peer that
 * has most of them. "Closed" is shutdown(2): the owner of the socket sees its end, removes it here and closes it.
 *
 * A thread of its own watches the time; it sleeps while no connection has to send anything. All functions may be called from any
 * thread.
 */
#pragma once
#include <stdbool.h>
#include <sys/socket.h>

#include "base/error.h"

struct web_connections;
struct web_connection;

struct strobe_error *web_connections_create(unsigned connections_max, unsigned request_ms, struct web_connections **ret) _must_check_;
/* All connections have been removed. NULL is fine. */
void web_connections_destroy(struct web_connections *c);

/* fd is borrowed until web_connection_remove(). peer: its address, or NULL. */
struct web_connection *web_connection_add(struct web_connections *c, int fd, const struct sockaddr *peer);
/* A whole request has come; its answer has been sent. */
void web_connection_begin_answer(struct web_connection *w);
void web_connection_end_answer(struct web_connection *w);
void web_connection_remove(struct web_connection *w);
