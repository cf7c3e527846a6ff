"""Lets Schemathesis try a control API: run.py SOCKET FOLDER

Schemathesis speaks TCP, so a port of the loopback interface leads to the socket as long as it runs. What it is asked to do
is in schemathesis.toml. FOLDER gets what it leaves behind.
"""

import json
import os
import pathlib
import socket
import socketserver
import subprocess
import sys
import threading
import urllib.request

from openapi_spec_validator import OpenAPIV31SpecValidator

path, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def pump(source: socket.socket, target: socket.socket) -> None:
    """Copies to the end of the stream, and says it to the other side."""
    try:
        while piece := source.recv(65536):
            target.sendall(piece)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        target.close()


class Bridge(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with socket.socket(socket.AF_UNIX) as daemon:
            daemon.connect(path)
            back = threading.Thread(target=pump, args=(daemon, self.request), daemon=True)
            back.start()
            pump(self.request, daemon)
            back.join()


class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64


with Server(("127.0.0.1", 0), Bridge) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    with urllib.request.urlopen(f"{url}/openapi.json") as reply:
        mistakes = list(OpenAPIV31SpecValidator(json.load(reply)).iter_errors())
    for mistake in mistakes:
        print(f"openapi.json: {mistake.json_path}: {mistake.message}")
    here = pathlib.Path(__file__).parent
    program = pathlib.Path(sys.executable).with_name("schemathesis")
    command = [program, "--config-file", here / "schemathesis.toml", "run", f"{url}/openapi.json", "--url", url]
    settings = {"SCHEMATHESIS_HOOKS": str(here / "hooks.py"), "PYTHONDONTWRITEBYTECODE": "1"}
    status = subprocess.run(command, cwd=folder, env=os.environ | settings).returncode
    server.shutdown()

sys.exit(1 if mistakes else status)
