SYSFS_PATH="$PWD/none" strobe iostat list
