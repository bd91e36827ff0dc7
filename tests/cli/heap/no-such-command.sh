strobe heap -- /no/such/command
