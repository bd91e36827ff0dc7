strobe kmem stat -i no-such.data
