# addresses that the kernel hides are all zero
echo '0000000000000000 T schedule' >list
strobe kallsyms --kallsyms list schedule
