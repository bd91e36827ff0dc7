strobe probe -x ./x -D main:abc
