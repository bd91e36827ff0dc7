"""A strobe that serves pages (web, report --web, pprof -http), with requests whose headers are written by hand."""

import http.client
import re
import select
import signal
import subprocess

from strobetest import STROBE


class Server:
    def __init__(self, *argv):
        self.process = subprocess.Popen([STROBE, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        ready, _, _ = select.select([self.process.stdout], [], [], 30)
        line = self.process.stdout.readline() if ready else ""
        found = re.fullmatch(r"Serving web UI on (http://(\S+):(\d+)/\S*)\n", line)
        if not found:
            self.process.kill()
            raise RuntimeError(f"{argv}: {line!r} {self.process.communicate()[1]}")
        self.url, self.host, self.port = found[1], found[2], int(found[3])

    def send_request(self, path, method="GET", headers=None, host=None):
        """(status, headers, body)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host or f"localhost:{self.port}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        got = answer.status, dict(answer.getheaders()), answer.read()
        connection.close()
        return got

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        _, err = self.process.communicate(timeout=20)
        return self.process.returncode, err
