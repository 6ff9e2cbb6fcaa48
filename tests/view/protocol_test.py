#!/usr/bin/env python3
"""A client that knows docs/viewer-protocol.md and nothing else.

protocol_test.py DOCS runnel COMMAND: against `runnel view`
protocol_test.py DOCS example COMMAND FOLDER: against examples/show_particles.c

Every message that comes is held against the tables of the document: a member that is not named there, or one that is
missing, is a failure. Frames are taken apart byte by byte.
"""
import base64, hashlib, json, math, os, re, socket, struct, subprocess, sys, tempfile, time

failures = 0


def check(claim, sentence):
    global failures
    if not claim:
        failures += 1
        print("FAIL:", sentence)


# --- the document ---------------------------------------------------------------------------------------------

class Document:
    """Rows of the tables `From the server` and `From the page`: type -> names in backticks."""

    def __init__(self, path):
        text = open(path, encoding="utf-8").read()
        self.types = {}
        for row in re.findall(r"^\| (`[a-z]+`(?:, `[a-z]+`)*) \| (.*)$", text, re.M):
            for name in re.findall(r"`([a-z]+)`", row[0]):
                self.types[name] = set(re.findall(r"`([a-z_.]+)`", row[1]))
        derived = re.search(r"^`derived`:(.*?)\n\n", text, re.M | re.S)
        self.derived = set(re.findall(r"`([a-z_]+)`", derived.group(1)))
        parameter = re.search(r"^`parameters` is the one.*?\[\{(.*?)\}\]", text, re.M | re.S)
        self.parameter = set(re.findall(r"`([a-z_]+)`", parameter.group(1)))


# --- a WebSocket --------------------------------------------------------------------------------------------------

class Socket:
    def __init__(self, port):
        self.line = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.bytes = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.line.sendall((f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                           "Sec-WebSocket-Protocol: runnel-1\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        fields = {name.lower(): value for name, value in fields.items()}
        check(head.startswith(b"HTTP/1.1 101"), head)
        check(fields.get("sec-websocket-protocol") == "runnel-1", "the subprotocol is runnel-1")
        digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        check(fields.get("sec-websocket-accept") == base64.b64encode(digest).decode(), "the key is answered")

    def more(self):
        got = self.line.recv(1 << 18)
        if not got:
            raise EOFError
        self.bytes += got

    def take(self, count):
        while len(self.bytes) < count:
            self.more()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def send(self, opcode, payload):
        mask = os.urandom(4)
        head = bytes([0x80 | opcode])
        if len(payload) < 126:
            head += bytes([0x80 | len(payload)])
        else:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(payload))
        self.line.sendall(head + mask + bytes(byte ^ mask[k % 4] for k, byte in enumerate(payload)))

    def say(self, **message):
        self.send(1, json.dumps(message).encode())

    def next(self, seconds=20.0):
        """('text', object), ('frame', bytes) or ('end', (code, reason)); None: nothing came in time."""
        self.line.settimeout(seconds)
        parts, kind = [], None
        try:
            while True:
                first, second = self.take(2)
                size = second & 127
                if size == 126:
                    size = struct.unpack(">H", self.take(2))[0]
                elif size == 127:
                    size = struct.unpack(">Q", self.take(8))[0]
                check(not second & 128, "a server does not mask")
                payload, opcode = self.take(size), first & 15
                if opcode == 9:
                    self.send(10, payload)
                    continue
                if opcode == 8:
                    return "end", (struct.unpack(">H", payload[:2])[0], payload[2:].decode())
                if opcode == 10:
                    continue
                check((opcode == 0) == bool(parts), "texts come between frames, not into them")
                kind = kind or opcode
                parts.append(payload)
                if first & 128:
                    whole = b"".join(parts)
                    return ("text", json.loads(whole)) if kind == 1 else ("frame", whole)
        except (TimeoutError, socket.timeout):
            return None


# --- a frame ---------------------------------------------------------------------------------------------------------

def four(count):
    return (count + 3) & ~3


class Frame:
    def __init__(self, b):
        check(b[0:4] == b"RNF1", "a frame opens with RNF1")
        self.count, self.has, self.attribute = struct.unpack_from("<III", b, 4)
        self.time, self.step = struct.unpack_from("<dQ", b, 16)
        self.low, self.high = struct.unpack_from("<3f", b, 32), struct.unpack_from("<3f", b, 44)
        self.range = struct.unpack_from("<2f", b, 56)
        self.velocity_unit, self.acceleration_unit, self.radius = struct.unpack_from("<3f", b, 64)
        (self.scene,) = struct.unpack_from("<I", b, 76)
        check(b[80:96] == bytes(16), "bytes 80 to 95 are zero")
        check(self.has < 16, "no other bits")
        check((self.has & 1 == 1) == (self.attribute != 0), "bit 0 and the attribute go together")
        n, at = self.count, 96
        self.gaps = b""
        self.places = struct.unpack_from(f"<{3 * n}H", b, at)
        at = self.skip(b, at, 6 * n)
        self.values = self.velocities = self.accelerations = self.ids = None
        if self.has & 1:
            self.values = b[at:at + n]
            at = self.skip(b, at, n)
        if self.has & 2:
            self.velocities = struct.unpack_from(f"<{3 * n}b", b, at)
            at = self.skip(b, at, 3 * n)
        if self.has & 4:
            self.accelerations = struct.unpack_from(f"<{3 * n}b", b, at)
            at = self.skip(b, at, 3 * n)
        if self.has & 8:
            self.ids = struct.unpack_from(f"<{n}I", b, at)
            at += 4 * n
        check(at == len(b), f"the frame has {len(b)} bytes, its parts {at}")
        check(not self.gaps.strip(b"\0"), "gaps are zero")

    def skip(self, b, at, size):
        self.gaps += b[at + size:at + four(size)]
        return at + four(size)

    def place(self, i):
        return [low + self.places[3 * i + a] / 65535 * (high - low)
                for a, (low, high) in enumerate(zip(self.low, self.high))]

    def value(self, i):
        return self.range[0] + self.values[i] / 255 * (self.range[1] - self.range[0])


# --- what comes ------------------------------------------------------------------------------------------------------

# Members that every message of the type has; `picked` of nobody has only id.
NEEDED = {
    "hello": {"protocol", "client", "steers", "program", "version", "watch", "scenes", "parameters", "folder"},
    "scene": {"number", "name", "title", "description", "scene", "derived", "dim", "low", "high", "solids", "pipes",
              "outlets", "view"},
    "state": {"state", "sentence", "speed"},
    "values": {"values", "undo", "redo"},
    "report": {"time", "step", "particles", "time_step", "bound", "ms", "steps_per_s", "frames_per_s", "pace",
               "neighbors_mean", "density_mean", "density_max", "kinetic", "potential", "elastic", "speed_max", "came",
               "left", "bytes", "clients", "flags"},
    "picked": {"id"},
    "files": {"folder", "files"},
    "problems": {"problems"},
    "error": {"sentence"},
    "steers": {"steers", "free", "waits", "asked"},
}


class Client(Socket):
    def __init__(self, port, document):
        super().__init__(port)
        self.document = document
        self.seen = set()

    def look(self, message):
        kind = message.get("type")
        self.seen.add(kind)
        if kind not in NEEDED or kind not in self.document.types:
            check(False, f"type {kind} is not in the document")
            return
        members = set(message) - {"type"}
        check(members <= self.document.types[kind], f"{kind}: {members - self.document.types[kind]} not in the document")
        check(NEEDED[kind] <= members, f"{kind}: {NEEDED[kind] - members} missing")
        if kind == "scene" and message["derived"]:
            check(set(message["derived"]) == self.document.derived,
                  f"derived: {set(message['derived']) ^ self.document.derived}")
        if kind == "hello":
            for parameter in message["parameters"]:
                check(set(parameter) <= self.document.parameter,
                      f"parameters: {set(parameter) - self.document.parameter} not in the document")
            for scene in message["scenes"]:
                check(set(scene) == {"name", "title", "description"}, f"scenes: {scene}")

    def until(self, kind, seconds=20.0, good=lambda message: True):
        """The next text of the type, or 'frame'; others are looked at and passed over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            got = self.next(max(0.01, end - time.monotonic()))
            if got is None:
                break
            if got[0] == "text":
                self.look(got[1])
                if got[1].get("type") == kind and good(got[1]):
                    return got[1]
            elif got[0] == "frame":
                if kind == "frame":
                    return Frame(got[1])
            elif kind == "end":
                return got[1]
            else:
                break
        if seconds > 1:
            check(False, f"no {kind} came in {seconds} s")
        return None


def start(words):
    child = subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    for line in child.stderr:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        if found:
            return child, int(found.group(1))
    sys.exit(f"{words}: no address was printed")


def near(a, b, slack):
    return all(abs(x - y) <= slack for x, y in zip(a, b))


def try_runnel(command, document):
    folder = tempfile.mkdtemp(prefix="runnel-protocol-")
    child, port = start([command, "view", "double-dam-break", "--no-open", "--port", "0", "--paused", "--out", folder,
                         "--set", "fluid.spacing=0.06", "--threads", "1", "--speed", "0"])
    try:
        c = Client(port, document)
        kind, hello = c.next()
        check(kind == "text" and hello["type"] == "hello" and hello["protocol"] == 1, "hello comes first")
        c.look(hello)
        check(hello["steers"] is True and hello["watch"] is False, "the first client steers")
        scene = c.until("scene")
        check(c.until("state")["state"] == "ready", "it is ready at its start")
        check(c.until("frame", 0.5) is None, "no frames before the first want")
        # Some steps, so that things move.
        for _ in range(12):
            c.say(type="step")
        report = c.until("report", good=lambda r: r["step"] >= 12)
        names = ["none", "density", "speed", "pressure", "age"]
        for number, name in enumerate(names):
            everything = number % 2 == 1
            c.say(type="want", attribute=name, rate=60, velocities=everything, accelerations=everything, ids=True)
            f = c.until("frame")
            check(f.attribute == number, f"attribute {name} is {f.attribute}")
            check(f.count == report["particles"] and f.step == report["step"], "the frame is that of the report")
            check(abs(f.time - report["time"]) < 1e-9, "so is its time")
            check(f.scene == scene["number"], "number of the scene")
            check(near(f.low, scene["low"], 1e-6) and near(f.high, scene["high"], 1e-6), "the box is the scene's")
            check(abs(f.radius - scene["derived"]["spacing"] / 2) < 1e-6, "radius is half a spacing")
            check((f.velocities is not None) == everything, "velocities as asked")
            check(len(set(f.ids)) == f.count, "ids are each there once")
            if name in ("speed", "age"):
                check(f.range[0] == 0, f"{name} is counted from 0")
            # One particle in full: as the text says it and as the frame does.
            for i in (0, f.count // 2, f.count - 1):
                c.say(type="pick", id=f.ids[i])
                p = c.until("picked", good=lambda m: m["id"] == f.ids[i])
                box = max(h - l for l, h in zip(f.low, f.high))
                check(near(f.place(i), p["position"], box / 65535), f"position {f.place(i)} and {p['position']}")
                if name in ("density", "pressure"):
                    slack = (f.range[1] - f.range[0]) / 255 + 1e-3 * abs(p[name])
                    check(abs(f.value(i) - p[name]) <= slack, f"{name} {f.value(i)} and {p[name]}")
                if name == "speed":
                    speed = math.sqrt(sum(v * v for v in p["velocity"]))
                    check(abs(f.value(i) - speed) <= f.range[1] / 255, f"speed {f.value(i)} and {speed}")
                if name == "age":
                    check(abs(f.value(i) - report["time"]) <= f.range[1] / 255 + 1e-6, "all are there from the start")
                if everything:
                    v = [x / 127 * f.velocity_unit for x in f.velocities[3 * i:3 * i + 3]]
                    a = [x / 127 * f.acceleration_unit for x in f.accelerations[3 * i:3 * i + 3]]
                    check(near(v, p["velocity"], f.velocity_unit / 127), f"velocity {v} and {p['velocity']}")
                    check(near(a, p["acceleration"], f.acceleration_unit / 127), f"acceleration {a}")
        check(c.until("frame", 0.5) is None, "while nothing changes no frames come")
        # window: no more than so many are under way.
        c.say(type="want", window=2)
        c.say(type="start")
        check(c.until("frame") and c.until("frame"), "two frames")
        check(c.until("frame", 0.5) is None, "no third without got")
        c.say(type="got")
        check(c.until("frame"), "one more with it")
        c.say(type="want", window=0, rate=0)
        c.until("report")
        check(c.until("frame", 0.5) is None, "rate 0: none")
        c.say(type="pause")
        c.until("state", good=lambda m: m["state"] == "paused")
        c.say(type="set", path="fluid.viscosity", value=0.5)
        values = c.until("values", good=lambda m: m["undo"] == 1)
        check(abs(values["values"]["fluid.viscosity"] - 0.5) < 1e-6, "set is told by values")
        c.say(type="undo")
        c.until("values", good=lambda m: m["redo"] == 1)
        c.say(type="set", path="fluid.viscosity", value=-1)
        problem = c.until("problems")["problems"][0]
        check(set(problem) == {"path", "sentence"}, f"problems: {problem}")
        c.say(type="save", name="mine", kind="checkpoint")
        listed = c.until("files")["files"]
        check(len(listed) == 1 and set(listed[0]) == {"name", "kind", "bytes"} and listed[0]["name"] == "mine.rnck", listed)
        c.say(type="pick", id=4000000000)
        c.until("picked", good=lambda m: m["id"] is None)  # it is gone; the last one may still be told
        c.say(type="dance")
        check("dance" in c.until("error")["sentence"], "a type that is not known is answered with error")
        # One more client: it watches, waits, and steers when the first has gone.
        d = Client(port, document)
        check(d.until("hello")["steers"] is False, "the second does not steer")
        d.say(type="start")
        d.until("error")
        d.say(type="steer")
        check(d.until("steers")["waits"] is True, "it waits")
        c.send(2, b"binary")
        code, reason = c.until("end")
        check(code == 1003 and reason, f"binary is refused: {code} {reason}")
        check(d.until("steers", good=lambda m: m["steers"])["steers"], "the wheel goes on")
        check(c.seen | d.seen == set(NEEDED), f"not seen: {set(NEEDED) - c.seen - d.seen}")
    finally:
        child.terminate()
        check(child.wait(20) == 0, "it ends with 0")
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)


def try_example(words, document):
    child, port = start([*words, "0"])
    try:
        page = socket.create_connection(("127.0.0.1", port), timeout=10)
        page.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        check(page.recv(4096).startswith(b"HTTP/1.1 200"), "the page is served")
        c = Client(port, document)
        check(c.until("hello")["protocol"] == 1, "protocol 1")
        low = c.until("scene")["low"]
        c.say(type="want", attribute="density", rate=30)
        first, second = c.until("frame"), c.until("frame")
        check(first.count == 20000 and second.step > first.step, "frames come one after the other")
        check(all(first.place(i)[1] >= low[1] for i in range(0, first.count, 97)), "places are in the box")
    finally:
        child.terminate()
        child.wait(20)


document = Document(sys.argv[1])
if sys.argv[2] == "runnel":
    try_runnel(sys.argv[3], document)
else:
    try_example(sys.argv[3:], document)
print("all as the document says" if failures == 0 else f"{failures} failures")
sys.exit(failures != 0)
