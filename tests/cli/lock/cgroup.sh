strobe lock contention -i no.data --lock-cgroup
