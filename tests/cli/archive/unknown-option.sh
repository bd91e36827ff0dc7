strobe archive --unpak
