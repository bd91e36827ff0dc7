strobe heap -p $$
