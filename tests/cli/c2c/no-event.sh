SYSFS_PATH=/nowhere strobe c2c record -k -- true
