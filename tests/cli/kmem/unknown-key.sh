strobe kmem stat --page -s frag
