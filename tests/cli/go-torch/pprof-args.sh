strobe go-torch --pprofArgs=-lines x.prof
