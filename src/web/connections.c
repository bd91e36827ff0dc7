#include "web/connections.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

struct peer {
	uint8_t address[16];
	size_t bytes;
};

struct web_connection {
	struct web_connections *all;
	struct web_connection *older, *newer; /* ordered by the time of their last change of state */
	struct peer peer;
	int fd;
	uint64_t since_ns;
	bool is_answered; /* a request was received, and its answer is being made or sent */
	bool is_shut;
};

struct web_connections {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t watcher;
	struct web_connection *oldest, *newest;
	unsigned open, max; /* open: without those that were shut */
	uint64_t request_ns;
	bool ends;
};

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return timespec_ns(t);
}

static void take_out(struct web_connection *w)
{
	struct web_connections *c = w->all;
	*(w->older ? &w->older->newer : &c->oldest) = w->newer;
	*(w->newer ? &w->newer->older : &c->newest) = w->older;
	w->older = w->newer = NULL;
}

static void put_last(struct web_connection *w)
{
	struct web_connections *c = w->all;
	w->since_ns = now_ns();
	w->older = c->newest;
	*(c->newest ? &c->newest->newer : &c->oldest) = w;
	c->newest = w;
}

static void shut(struct web_connection *w)
{
	shutdown(w->fd, SHUT_RDWR);
	w->is_shut = true;
	w->all->open--;
}

/* Shuts connections whose time is over; returns the time of the next one, 0: no connection has a time limit. */
static uint64_t shut_late_ones(struct web_connections *c)
{
	uint64_t now = now_ns();
	for (struct web_connection *w = c->oldest; w; w = w->newer) {
		if (w->is_shut || w->is_answered)
			continue;
		if (w->since_ns + c->request_ns > now)
			return w->since_ns + c->request_ns;
		shut(w);
	}
	return 0;
}

static void *watch(void *ctx)
{
	struct web_connections *c = ctx;
	pthread_mutex_lock(&c->lock);
	while (!c->ends) {
		uint64_t next = shut_late_ones(c);
		struct timespec until = ns_timespec(next);
		if (next)
			pthread_cond_timedwait(&c->changed, &c->lock, &until);
		else
			pthread_cond_wait(&c->changed, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

struct strobe_error *web_connections_create(unsigned connections_max, unsigned request_ms, struct web_connections **ret)
{
	struct web_connections *c = xcalloc(1, sizeof(*c));
	pthread_condattr_t attr;
	c->max = connections_max;
	c->request_ns = request_ms * (NS_PER_S / 1000);
	pthread_mutex_init(&c->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&c->changed, &attr);
	pthread_condattr_destroy(&attr);
	int errnum = pthread_create(&c->watcher, NULL, watch, c);
	if (errnum) {
		free(c);
		return error_errno(errnum, "cannot start a thread");
	}
	*ret = c;
	return NULL;
}

void web_connections_destroy(struct web_connections *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->ends = true;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
	pthread_join(c->watcher, NULL);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static struct peer peer_of(const struct sockaddr *a)
{
	struct peer p = {};
	const void *from = NULL;
	if (a && a->sa_family == AF_INET) {
		from = &((const struct sockaddr_in *)a)->sin_addr;
		p.bytes = sizeof(struct in_addr);
	} else if (a && a->sa_family == AF_INET6) {
		from = &((const struct sockaddr_in6 *)a)->sin6_addr;
		p.bytes = 8; /* the /64 network */
	}
	if (from)
		memcpy(p.address, from, p.bytes);
	return p;
}

static unsigned count_of_peer(const struct web_connections *c, const struct peer *p)
{
	unsigned n = 0;
	for (const struct web_connection *w = c->oldest; w; w = w->newer)
		n += !w->is_shut && !memcmp(&w->peer, p, sizeof(*p));
	return n;
}

/* Of the peer with most connections: the oldest one that is not being answered, or else the oldest. */
static struct web_connection *find_victim(const struct web_connections *c)
{
	struct web_connection *victim = NULL;
	unsigned most = 0;
	for (struct web_connection *w = c->oldest; w; w = w->newer) {
		unsigned n = w->is_shut ? 0 : count_of_peer(c, &w->peer);
		if (n > most || (n && n == most && victim->is_answered && !w->is_answered)) {
			victim = w;
			most = n;
		}
	}
	return victim;
}

struct web_connection *web_connection_add(struct web_connections *c, int fd, const struct sockaddr *peer)
{
	struct web_connection *w = xcalloc(1, sizeof(*w));
	w->all = c;
	w->fd = fd;
	w->peer = peer_of(peer);
	pthread_mutex_lock(&c->lock);
	if (c->open >= c->max)
		shut(find_victim(c));
	put_last(w);
	c->open++;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return w;
}

static void set_answered(struct web_connection *w, bool is_answered)
{
	struct web_connections *c = w->all;
	pthread_mutex_lock(&c->lock);
	w->is_answered = is_answered;
	take_out(w);
	put_last(w);
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

void web_connection_begin_answer(struct web_connection *w)
{
	set_answered(w, true);
}

void web_connection_end_answer(struct web_connection *w)
{
	set_answered(w, false);
}

void web_connection_remove(struct web_connection *w)
{
	struct web_connections *c = w->all;
	pthread_mutex_lock(&c->lock);
	take_out(w);
	c->open -= !w->is_shut;
	pthread_mutex_unlock(&c->lock);
	free(w);
}
