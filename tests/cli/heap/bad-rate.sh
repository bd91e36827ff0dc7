strobe heap --rate x -- true
