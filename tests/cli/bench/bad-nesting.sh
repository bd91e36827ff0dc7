strobe bench epoll ctl -r 1 -N 5
