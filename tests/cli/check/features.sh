# what is never off, in perf's and our names; what is never on; the exit status is that of all together
strobe check feature libelf,dwarf,libtraceevent && echo on
strobe check feature libelf,libbfd || echo off
strobe check -q feature libbfd || echo off
strobe check feature HAVE_LIBBFD_SUPPORT || echo off
