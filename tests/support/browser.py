"""Chromium, headless, driven over its debugging pipe: pages at any width, what they print on the console, and what they ask the network for."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe")


class Browser:
    """One window of chromium. `errors` and `requests` are those since the last page was opened."""

    def __enter__(self):
        program = shutil.which("chromium")
        assert program, "there is no chromium; tools/bootstrap chromium installs it"
        self.folder = tempfile.TemporaryDirectory()
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()

        def pipes():  # chromium reads its orders from 3, and answers to 4
            orders, answers = os.dup(to_browser), os.dup(from_browser)
            os.dup2(orders, 3)
            os.dup2(answers, 4)

        self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={self.folder.name}", "about:blank"], preexec_fn=pipes, pass_fds=(3, 4),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.received, self.session = 0, b"", None
        self.errors, self.requests, self.loaded = [], [], False
        target = self.order("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.order("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.order(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        os.close(self.writing)
        os.close(self.reading)
        self.folder.cleanup()

    def message(self):
        """The next message of the browser."""
        while b"\0" not in self.received:
            part = os.read(self.reading, 1 << 20)
            assert part, "chromium ended"
            self.received += part
        line, _, self.received = self.received.partition(b"\0")
        return json.loads(line)

    def noted(self, message):
        """Keeps what the page did."""
        method, about = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"].get("exception", {}).get("description", about["exceptionDetails"]["text"]))
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(part.get("value", part.get("description"))) for part in about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(f"{about['entry']['text']} {about['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Page.loadEventFired":
            self.loaded = True

    def order(self, method, **parameters):
        """Gives an order, and waits for its result."""
        self.number += 1
        order = {"id": self.number, "method": method, "params": parameters} | ({"sessionId": self.session} if self.session else {})
        os.write(self.writing, json.dumps(order).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]
            self.noted(message)

    def open(self, url, width, height=900, dark=False):
        """Opens a page at a width, and waits until it is loaded."""
        self.order("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.order("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.errors, self.requests, self.loaded = [], [], False
        self.order("Page.navigate", url=url)
        while not self.loaded:
            self.noted(self.message())

    def evaluate(self, script):
        """The value of an expression in the page; a promise is waited for."""
        result = self.order("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, (script, result)
        return result["result"].get("value")

    def wait_for(self, script, seconds=30):
        """Waits until an expression in the page is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(script):
            assert time.monotonic() < end, f"not true within {seconds} seconds: {script}"
            time.sleep(0.05)

    def press(self, key, code=0, text=""):
        """Presses a key and releases it."""
        for kind in ("keyDown", "keyUp"):
            self.order("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text if kind == "keyDown" else "")

    def screenshot(self, path, whole=False):
        """Writes what is seen, or the whole page, to a PNG file."""
        path.write_bytes(base64.b64decode(self.order("Page.captureScreenshot", captureBeyondViewport=whole)["data"]))
