strobe list nothing-is-called-so
