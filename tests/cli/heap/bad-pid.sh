strobe heap -p abc
