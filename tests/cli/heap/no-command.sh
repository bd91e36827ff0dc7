strobe heap
