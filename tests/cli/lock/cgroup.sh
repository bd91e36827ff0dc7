strobe lock contention -b --lock-cgroup
