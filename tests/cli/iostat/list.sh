# as the kernel's ABI document has it, of two sockets
for die in 0 1; do
	for pmu in 0 3; do
		mkdir -p sys/bus/event_source/devices/uncore_iio_$pmu
		echo "000$die:${pmu}a" >sys/bus/event_source/devices/uncore_iio_$pmu/die$die
	done
done
SYSFS_PATH="$PWD/sys" strobe iostat list
