SYSFS_PATH=/nowhere strobe mem record -- true
