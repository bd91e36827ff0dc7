strobe heap --format xml -- true
