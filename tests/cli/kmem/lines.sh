strobe kmem -l many stat
