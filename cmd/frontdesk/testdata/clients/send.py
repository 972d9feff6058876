"""Makes a request with files, as a program with Python's standard library does:
it sends everything, then reads the answer. Prints the body, then the status.

    TOKEN=... send.py length|chunked URL FILE...
"""

import http.client
import os
import sys
import urllib.parse

how, url, *paths = sys.argv[1:]
BOUNDARY = "a-boundary-of-python"


def head(disposition):
    return f"--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n".encode()


def parts():
    """The form: bytes, and the paths of files."""
    yield head('name="description"') + b"from Python\r\n"
    for path in paths:
        yield head(f'name="attachments"; filename="{os.path.basename(path)}"')
        yield path
        yield b"\r\n"
    yield f"--{BOUNDARY}--\r\n".encode()


def stream():
    for part in parts():
        if isinstance(part, bytes):
            yield part
            continue
        with open(part, "rb") as file:
            while piece := file.read(64 << 10):
                yield piece


headers = {
    "Authorization": "Bearer " + os.environ["TOKEN"],
    "Content-Type": "multipart/form-data; boundary=" + BOUNDARY,
}
if how == "length":  # without it, http.client sends chunks
    headers["Content-Length"] = str(sum(len(p) if isinstance(p, bytes) else os.path.getsize(p) for p in parts()))

at = urllib.parse.urlsplit(url)
connection = http.client.HTTPConnection(at.netloc, timeout=120)
connection.request("POST", at.path, body=stream(), headers=headers)
answer = connection.getresponse()
print(answer.read().decode())
print(answer.status)
