strobe heap --unknown -- true
