#include "cmd/serve.h"

#include <signal.h>
#include <stdio.h>

struct strobe_error *serve(struct cmd_context *ctx, const struct web_options *options)
{
	struct web_server *server;
	sigset_t signals;
	int which;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	/* in all threads, and so before the server has one */
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	TRY(web_server_start(options, &server));
	printf("Serving web UI on %s\n", web_server_url(server));
	fflush(stdout);
	sigwait(&signals, &which);
	web_server_stop(server);
	return NULL;
}
