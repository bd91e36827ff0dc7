strobe heap -p 1 -- true
