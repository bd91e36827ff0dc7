#!/usr/bin/env python3
"""
Pictures: the same boxes at the same places as flamegraph.pl draws, of the folded stacks in the shared corpus; the same
colours where two are compared; and the text of `perf script`, folded as stackcollapse-perf.pl folds it.

flamegraph-pl.tsv beside this file holds what flamegraph.pl (at 41fee1f) answered, a digest for each picture. It was written
by  flamegraph.py --write DIRECTORY  with that program and difffolded.pl in DIRECTORY.
"""
# needs: flamegraph

import hashlib
import html
import os
import re
import subprocess
import sys

from strobetest import CORPUS, SCRATCH, STROBE, TOP, Tap, run, strobe

ANSWERS = os.path.join(TOP, "tests", "oracle", "flamegraph-pl.tsv")
FOLDED = os.path.join(CORPUS, "FlameGraph", "test", "results")
TEXTS = os.path.join(CORPUS, "FlameGraph", "test")
# answers of a version that took only "java" for Java, and not "java-PID"
OUTDATED = ["perf-java-stacks-01-collapsed-pid.txt", "perf-java-stacks-01-collapsed-tid.txt"]
OPTIONS = ["", "--reverse", "--inverted", "--flamechart", "--minwidth 3%", "--width 600 --minwidth 2"]
# what else moves boxes or scales them, on one file
MORE = ["--height 20 --fontsize 10", "--height 24 --fontsize 14.5 --width 1600", "--total 90", "--subtitle hello --title x",
        "--reverse --inverted", "--flamechart --reverse", "--minwidth 0", "--inverted --height 31"]
# of flamegraph.pl --help
HELP = """title subtitle width height minwidth fonttype fontsize countname nametype colors bgcolors hash random cp reverse inverted
flamechart negate notes nameattr encoding factor total fontwidth""".split()
BOX = re.compile(r'<title>(.*?)</title><rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"\s+fill="([^"]+)"', re.S)
PICTURE = re.compile(r'<svg\b[^>]*? width="([\d.]+)" height="([\d.]+)"')
DETAILS = re.compile(r"[ \n]\(?[^()\n]*\d+\.\d\d%(; [-+][\d.]+%)?\)?$|\n.*$|[ \n]\([^()]*samples?, 100%\)$", re.S)


def colour(text):
    if text.startswith("#"):
        return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))
    return tuple(int(word) for word in re.findall(r"\d+", text))


def boxes(svg, with_colours=False):
    """
    Upper, left and right edge, height and name of each box, to a tenth of a pixel (flamegraph.pl rounds the edges, and takes
    the width from them); and of comparisons colour and difference. The picture's own size is the first.
    """
    found = []
    for title, x, y, width, height, fill in BOX.findall(svg):
        title = html.unescape(title)
        delta = re.search(r"; ([-+][\d.]+)%", title)
        box = (float(y), f"{float(x):.1f}", f"{float(x) + float(width):.1f}", float(height), DETAILS.sub("", title))
        if with_colours:
            box += (colour(fill), float(delta.group(1)) + 0.0 if delta else 0.0)
        found.append(box)
    return [tuple(map(float, PICTURE.search(svg).groups())), *sorted(found)]


def digest(found):
    return hashlib.sha256(repr(found).encode()).hexdigest()[:16]


def read(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read()


def two_profiles(path):
    """
    Two profiles out of one: stacks that take more, as much and less, and a new one. None is gone: where that is so
    flamegraph.pl loses boxes of the same name that end at the same place.
    """
    paths = [os.path.join(SCRATCH, name) for name in ("before.folded", "after.folded")]
    with open(paths[0], "w", encoding="utf-8") as before, open(paths[1], "w", encoding="utf-8") as after:
        for i, line in enumerate(read(path).splitlines()):
            stack, _, value = line.rpartition(" ")
            before.write(f"{stack} {int(value) * 4}\n")
            after.write(f"{stack} {int(value) * (8, 4, 1)[i % 3]}\n")
        after.write("java;other;thing 7\n")
    return paths


def pictures():
    """Name, folded file and options of each."""
    for name in sorted(os.listdir(FOLDED)):
        for options in OPTIONS + (MORE if name == "perf-java-stacks-01-collapsed-all.txt" else []):
            yield f"{name} {options}".strip(), os.path.join(FOLDED, name), options.split()


def comparisons():
    path = os.path.join(FOLDED, "perf-java-stacks-01-collapsed-all.txt")
    for options in ([], ["--negate"], ["--normalize"]):
        yield " ".join(["compared", *options]), path, options


def attribute_files():
    """One profile, attributes of some of its names, and a colour for each of them."""
    path = os.path.join(FOLDED, "perf-java-stacks-01-collapsed-all.txt")
    names = sorted({name for line in read(path).splitlines() for name in line.rpartition(" ")[0].split(";")})
    attributes, colours = (os.path.join(SCRATCH, name) for name in ("names.attributes", "palette.map"))
    with open(attributes, "w", encoding="utf-8") as f:
        for i, name in enumerate(names[::3]):
            words = [f"title=number {i}", f"href=http://host/{i}" if i % 2 else f"id=n{i}", f"class=c{i}"]
            words += ["target=_blank"] if i % 4 == 3 else []
            f.write("\t".join([name, *words]) + "\n")
    with open(colours, "w", encoding="utf-8") as f:
        for i, name in enumerate(["", *names]):
            f.write(f"{name}->rgb({i % 256},{i * 7 % 256},{i * 31 % 256})\n")
    return path, attributes, colours


ATTRIBUTES = re.compile(r'(id|class|href|target)="([^"]*)"')


def with_attributes(svg):
    """Attributes, title, place and colour of each frame that has some; the names that flamegraph.pl replaces are left out."""
    found = []
    for outer, title, inner, x, y, fill in re.findall(
            r'<[ga]( [^>]*)>\s*<title>([^<]*)</title>\s*(?:<a ([^>]*)>)?\s*<rect x="([\d.]+)" y="([\d.]+)" [^>]*?fill="([^"]+)"', svg):
        if " number " in f" {title}" or "\nnumber " in title:
            attributes = sorted(set(ATTRIBUTES.findall(outer + " " + inner)))
            found.append((attributes, title.rpartition("\n")[2], f"{float(x):.1f}", float(y), colour(fill)))
    return sorted(found)


def write(directory):
    """The answers of the programs themselves."""

    def perl(program, *argv):
        return subprocess.run(["perl", os.path.join(directory, program), *argv], capture_output=True, text=True, check=True).stdout

    with open(ANSWERS, "w", encoding="utf-8") as f:
        f.write("# picture, boxes, digest of what tests/oracle/flamegraph.py makes of flamegraph.pl's answer\n")
        for name, path, options in pictures():
            found = boxes(perl("flamegraph.pl", *options, path))
            f.write(f"{name}\t{len(found)}\t{digest(found)}\n")
        for name, path, options in comparisons():
            both = os.path.join(SCRATCH, "both.folded")
            with open(both, "w", encoding="utf-8") as text:
                text.write(perl("difffolded.pl", *(["-n"] if "--normalize" in options else []), *two_profiles(path)))
            found = boxes(perl("flamegraph.pl", *(["--negate"] if "--negate" in options else []), both), with_colours=True)
            f.write(f"{name}\t{len(found)}\t{digest(found)}\n")
        path, attributes, _ = attribute_files()
        svg = subprocess.run(["perl", os.path.join(directory, "flamegraph.pl"), "--cp", "--nameattr", attributes, path], cwd=SCRATCH,
                             capture_output=True, text=True, check=True).stdout
        f.write(f"attributes\t{len(with_attributes(svg))}\t{digest(with_attributes(svg))}\n")


def ended(name):
    """A text without its last sample where no empty line ends that: stackcollapse-perf.pl leaves it out."""
    path, text = os.path.join(SCRATCH, name), read(os.path.join(TEXTS, name))
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        f.write(text[:text.rindex("\n\n") + 2])
    return path


# what stackcollapse-perf.pl (at 41fee1f) makes of texts, which it was given with an empty line at their ends
MADE = {
    "the last sample": ("xx 1 1.0: 5 cycles:\n\t1234 a (/bin/x)\n\nxx 1 1.1: 7 cycles:\n\t1235 b (/bin/x)\n", ["xx;a 5", "xx;b 7"]),
    "frames that are not indented": ("xx 1 1.0: 5 cycles:\n1234 a (/bin/x)\nffffffff8 b ([kernel.kallsyms])\n\n", ["xx;b;a 5"]),
    "a name of blanks": ("xx 1 1.0: 5 cycles:\n\t1234  (/bin/x)\n\t1235 b (/bin/x)\n\n", ["xx;b;  5"]),
    "Java": ("java 1 1.0: 5 cycles:\n\t1234 Lcom/x/Y;::run (/tmp/perf-1.map)\n\t1235 LBusy;::main (/tmp/perf-1.map)\n"
             "\t1236 Ljava/lang/Thread (/tmp/perf-1.map)\n\n", ["java;java/lang/Thread;LBusy:::main;com/x/Y:::run 5"]),
}


def check_made(tap):
    for name, (text, expected) in MADE.items():
        done = run(STROBE, "flamegraph", "--folded", stdin=text.encode())
        tap.equal(done.out.splitlines(), expected, f"text of perf script: {name}")
    # as inferno has them: parentheses of template arguments begin no list of parameters
    names = ["std::function<int (int, int)>::operator()(int, int) const", "main::{lambda(int)#1}::f(int)", "f(int (*)(char))"]
    text = "x 1 1.0: 5 cycles:\n" + "".join(f"\t123{i} {name} (/bin/x)\n" for i, name in enumerate(names))
    done = run(STROBE, "flamegraph", "--folded", stdin=text.encode())
    tap.equal(done.out, "x;f;main::{lambda(int)#1}::f;std::function<int (int, int)>::operator 5\n", "text of perf script: templates")
    done = run(STROBE, "flamegraph", "--folded", stdin=b"a;b 1\nno number\na;c 2\n")
    tap.ok(done.out == "a;b 1\na;c 2\n" and "skipped 1 line" in done.err and done.status == 0, "a bad folded line is passed over", done)


def check_collapse(tap):
    """The text of `perf script`, against the answers that the corpus has from stackcollapse-perf.pl."""
    for name in sorted(os.listdir(TEXTS)):
        for option in ("pid", "tid", "kernel", "jit", "all", "addrs") if name.endswith(".txt") else ():
            answer = f"{name[:-4]}-collapsed-{option}.txt"
            if answer not in OUTDATED:
                done = strobe("flamegraph", "--folded", f"--{option}", ended(name))
                tap.ok(done.out == read(os.path.join(FOLDED, answer)), f"folded {name} --{option}", done.err)
    text = os.path.join(TEXTS, "perf-java-stacks-01.txt")
    with open(text, "rb") as f:
        piped = subprocess.run([STROBE, "flamegraph", "--folded"], input=f.read(), capture_output=True)
    tap.ok(piped.stdout.decode() == strobe("flamegraph", "--folded", text).out, "the same from a pipe", piped.stderr)


def main():
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2])
        return
    tap = Tap()
    check_made(tap)
    if not os.path.isdir(FOLDED):
        tap.skip("pictures are flamegraph.pl's", f"no shared corpus at {CORPUS}")
        tap.done()
        return
    answers = dict(line.split("\t", 1) for line in read(ANSWERS).splitlines() if not line.startswith("#"))
    for name, path, options in pictures():
        done = strobe("flamegraph", *options, path)
        found = boxes(done.out)
        tap.ok(answers[name] == f"{len(found)}\t{digest(found)}", f"boxes of {name}", f"{len(found)} boxes; {done.err}")
    for name, path, options in comparisons():
        before, after = two_profiles(path)
        done = strobe("flamegraph", "--diff-base", before, *options, after)
        found = boxes(done.out, with_colours=True)
        tap.ok(answers[name] == f"{len(found)}\t{digest(found)}", name, f"{len(found)} boxes; {done.err}")
    path, attributes, colours = attribute_files()
    kept = read(colours)
    done = strobe("flamegraph", "--cp", "--nameattr", attributes, path)
    found = with_attributes(done.out)
    tap.ok(answers["attributes"] == f"{len(found)}\t{digest(found)}", "attributes and colours of frames by name", f"{found[:3]} {done.err}")
    tap.ok(sorted(read(colours).splitlines()) == sorted(kept.splitlines()), "colours that are known stay as they are")
    check_collapse(tap)
    for option in HELP:
        value = {"colors": "mem", "bgcolors": "#ffffff", "fonttype": "serif", "width": "900", "nameattr": attributes,
                 "encoding": "utf-8"}.get(option, "9")
        flag = option in ("hash", "random", "cp", "reverse", "inverted", "flamechart", "negate")
        done = strobe("flamegraph", f"--{option}" if flag else f"--{option}={value}", path)
        tap.ok(done.status == 0 and "<svg" in done.out, f"--{option} is known", done.err)
    tap.done()


main()
