strobe kmem stat --no-such
