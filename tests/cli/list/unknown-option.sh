strobe list --detals
