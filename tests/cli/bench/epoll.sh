strobe bench epoll
