"""Debian's Chromium as a Python object, driven by playwright-core through tests/lib/browser.mjs."""

import json
import os
import shutil
import subprocess

from strobetest import BUILD, TOP, skip_all

# Where tools/deps.sh puts it: in the tree's first build directory, whichever is tested.
MODULES = os.path.join(TOP, "build", "browser")


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


def missing():
    """What this machine lacks, or "" if nothing is missing."""
    has = chromium() and shutil.which("node") and os.path.isdir(os.path.join(MODULES, "node_modules", "playwright-core"))
    return "" if has else "no chromium, node or playwright-core: tools/deps.sh test"


class Browser:
    def __init__(self):
        if missing():
            skip_all(missing())
        self.process = subprocess.Popen(
            ["node", os.path.join(TOP, "tests", "lib", "browser.mjs"), MODULES, chromium()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def do(self, *command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the browser has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"{command}: {answer['error']}")
        return answer["value"]

    def open(self, url):
        """Returns the milliseconds from the start of the navigation until the page is drawn."""
        return self.do("open", url if "://" in url else "file://" + os.path.abspath(url))

    def eval(self, code):
        return self.do("eval", code)

    def cpu(self):
        """Milliseconds of processor time that the page has taken since it was opened."""
        return self.do("cpu")

    def shot(self, name):
        """Saves a screenshot, to be looked at by a person."""
        folder = os.path.join(BUILD, "screens")
        os.makedirs(folder, exist_ok=True)
        self.do("shot", os.path.join(folder, name + ".png"))

    def log(self):
        """Messages (errors, warnings, dialogs) and requested addresses since the last call."""
        return self.do("log")

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
