strobe list sw
