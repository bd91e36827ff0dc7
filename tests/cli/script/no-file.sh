strobe script -i absent.data
