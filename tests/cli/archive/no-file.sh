strobe archive absent.data
