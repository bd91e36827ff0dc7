strobe kmem
