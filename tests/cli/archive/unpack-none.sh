strobe archive --unpack
