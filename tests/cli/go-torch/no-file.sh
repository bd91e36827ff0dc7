strobe go-torch absent.prof
