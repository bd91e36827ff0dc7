# well-formed, and says what it must; words of the recording and of the options stay words
python3 "$STROBE_TOP/tests/lib/recording.py" two-events x.data
strobe flamegraph -e cpu-clock -i x.data -o out.svg --title '<b>&' --subtitle '"x"' --notes ']]>' --fonttype "a'b"
python3 - out.svg <<'END'
import sys
import xml.etree.ElementTree as tree

svg = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
print(root.tag, root.get("role"), root.get("width"), root.get("font-family"))
print(root.findtext(svg + "title"), "|", root.findtext(svg + "desc"), "|", root.findtext(svg + "metadata"))
print([text.text for text in root.findall(svg + "text")])
for frame in root.find(svg + "g[@class='frames']"):
    rect = frame.find(svg + "rect")
    print(repr(frame.findtext(svg + "title")), rect.get("x"), rect.get("y"), rect.get("width"))
for other in ("http:", "https:", "src=", "href", "import", "eval(", "innerHTML"):
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read().replace("http://www.w3.org/2000/svg", "").replace("http://www.w3.org/1999/xhtml", "")
    if other in text:
        print("the picture asks for something else:", other)
END
