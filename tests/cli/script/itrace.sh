strobe script --itrace=i100us -i x.data
