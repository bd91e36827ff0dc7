"""What the functions of tests/workloads/waits.c wait for."""

# Function: state and reason of most of what it waits for.
WAITS = {
    "sleeps": ("sleeping", "sleep"),
    "locks": ("sleeping", "futex"),
    "receives": ("sleeping", "socket"),
    "talks": ("sleeping", "pipe"),
    "polls": ("sleeping", "poll"),
    "awaits": ("sleeping", "epoll"),
    "writes": ("blocked", "fsync waits.file"),
    "waits": ("sleeping", "child"),
    "faults": ("sleeping", "page fault"),
    "competes": ("runnable", "preempted"),
}
