# attributes of frames and kept colours, by name
printf 'main;a 1\nmain;b 2\n' >x.folded
printf 'a\thref=http://host/?x=1&y=<2>\ttitle=the "a"\n' >names
echo 'main->rgb(1,2,3)' >palette.map
strobe flamegraph --cp --nameattr names x.folded >out.svg
grep -o '<a href.*target="_top">\|^the .*</title>\|#010203' out.svg
grep main palette.map
sed 's/->.*//' palette.map
strobe flamegraph --cp=other.map --colors green x.folded >other.svg
sed 's/->.*//' other.map
echo 'no tab' >>names
strobe flamegraph --nameattr names x.folded
strobe flamegraph --nameattr missing x.folded
