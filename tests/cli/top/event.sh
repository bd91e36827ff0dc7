strobe top --stdio -e no_such_event
