strobe inject --itrace=i10us -i absent.data
