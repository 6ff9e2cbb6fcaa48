#!/usr/bin/env python3
"""A client that knows docs/viewer-protocol.md and nothing else.

protocol_test.py DOCS runnel COMMAND: against `runnel view`
protocol_test.py DOCS example COMMAND FOLDER: against examples/show_particles.c

Every message that comes is held against the tables of the document: a member that is not named there, or one that is
missing, is a failure. Frames are taken apart byte by byte.
"""
import base64, hashlib, http.client, json, math, os, re, socket, struct, subprocess, sys, tempfile, time

failures = 0


def check(claim, sentence):
    global failures
    if not claim:
        failures += 1
        print("FAIL:", sentence)


# --- the document ---------------------------------------------------------------------------------------------

class Document:
    """Rows of the table `From the server`: type -> names in backticks."""

    def __init__(self, path):
        text = open(path, encoding="utf-8").read()
        self.types = {}
        server = text[text.index("## From the server"):text.index("## From the page")]
        for row in re.findall(r"^\| (`[a-z]+`(?:, `[a-z]+`)*) \| (.*)$", server, re.M):
            for name in re.findall(r"`([a-z]+)`", row[0]):
                self.types[name] = set(re.findall(r"`([a-z_.]+)`", row[1]))
        derived = re.search(r"^`derived`:(.*?)\n\n", text, re.M | re.S)
        self.derived = set(re.findall(r"`([a-z_]+)`", derived.group(1)))
        attribute = re.search(r"^`attributes` lists.*?\[\{(.*?)\}\]", text, re.M | re.S)
        self.attribute = set(re.findall(r"`([a-z_]+)`", attribute.group(1)))
        parameter = re.search(r"^`parameters` is the .*?\[\{(.*?)\}\]", text, re.M | re.S)
        self.parameter = set(re.findall(r"`([a-z_]+)`", parameter.group(1)))


# --- a WebSocket --------------------------------------------------------------------------------------------------

class Socket:
    def __init__(self, port):
        self.line = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.bytes = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.line.sendall((f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                           f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                           "Sec-WebSocket-Protocol: runnel-2\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:])
        fields = {name.lower(): value for name, value in fields.items()}
        check(head.startswith(b"HTTP/1.1 101"), head)
        check(fields.get("sec-websocket-protocol") == "runnel-2", "the subprotocol is runnel-1")
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


class Attribute:
    """A row of the table, and its array."""

    def __init__(self, b, row, count):
        self.name = b[row:row + 24].split(b"\0")[0].decode()
        check(not b[row:row + 24][len(self.name):].strip(b"\0"), "names are padded with zeros")
        self.components, self.format, zero, self.at = struct.unpack_from("<BBHI", b, row + 24)
        check(zero == 0 and self.format < 3, f"{self.name}: format {self.format}")
        self.low, self.high = struct.unpack_from("<2f", b, row + 32)
        code, each = (("B", 1), ("b", 1), ("I", 4))[self.format]
        self.size = each * self.components * count
        self.numbers = struct.unpack_from(f"<{self.components * count}{code}", b, self.at)

    def value(self, i):
        """One number, or a list of three."""
        row = self.numbers[self.components * i:self.components * (i + 1)]
        if self.format == 0:
            row = [self.low + x / 255 * (self.high - self.low) for x in row]
        elif self.format == 1:
            row = [x / 127 * self.high for x in row]
        return row[0] if self.components == 1 else list(row)

    def step(self):
        """How far a value may be from the exact one."""
        return 0 if self.format == 2 else (self.high - self.low) / (255 if self.format == 0 else 254)


class Frame:
    def __init__(self, b):
        check(b[0:4] == b"RNF2", "a frame opens with RNF2")
        self.count, rows, poses = struct.unpack_from("<III", b, 4)
        self.time, self.step = struct.unpack_from("<dQ", b, 16)
        self.low, self.high = struct.unpack_from("<3f", b, 32), struct.unpack_from("<3f", b, 44)
        self.radius, self.scene = struct.unpack_from("<fI", b, 56)
        self.poses = [struct.unpack_from("<I7f", b, 64 + 40 * rows + 32 * k) for k in range(poses)]
        n, at = self.count, 64 + 40 * rows + 32 * poses
        self.gaps = b""
        self.places = struct.unpack_from(f"<{3 * n}H", b, at)
        at = self.skip(b, at, 6 * n)
        self.attributes = {}
        for k in range(rows):
            attribute = Attribute(b, 64 + 40 * k, n)
            check(attribute.at == at, f"{attribute.name} is at {attribute.at}, not {at}")
            at = self.skip(b, at, attribute.size)
            self.attributes[attribute.name] = attribute
        check(len(self.attributes) == rows, "each attribute is there once")
        check(at == len(b), f"the frame has {len(b)} bytes, its parts {at}")
        check(not self.gaps.strip(b"\0"), "gaps are zero")

    def skip(self, b, at, size):
        self.gaps += b[at + size:at + four(size)]
        return at + four(size)

    def place(self, i):
        return [low + self.places[3 * i + a] / 65535 * (high - low)
                for a, (low, high) in enumerate(zip(self.low, self.high))]


class Meshes:
    """Rows of the message that opens with RNM2."""

    def __init__(self, b):
        self.scene, count, zero = struct.unpack_from("<III", b, 4)
        check(zero == 0, "a zero word")
        self.names, end = [], 16 + 48 * count
        for k in range(count):
            row = 16 + 48 * k
            self.names.append(b[row:row + 24].split(b"\0")[0].decode())
            vertices, indices, lines, *at = struct.unpack_from("<6I", b, row + 24)
            check(at[0] == end, f"vertices at {at[0]}, not {end}")
            end += 12 * vertices
            check(at[1] in (0, end), f"normals at {at[1]}, not {end}")
            end += 12 * vertices if at[1] else 0
            check(at[2] == end and indices % 3 == 0, f"indices at {at[2]}, not {end}")
            check(all(x < vertices for x in struct.unpack_from(f"<{indices}I", b, at[2])), "indices have vertices")
            end += 4 * indices + 24 * lines
        check(end == len(b), f"the meshes have {len(b)} bytes, their parts {end}")


# --- what comes ------------------------------------------------------------------------------------------------------

# Members that every message of the type has; `picked` of nobody has only id.
NEEDED = {
    "hello": {"protocol", "client", "control", "program", "version", "watch", "scenes", "parameters", "folder", "attributes"},
    "scene": {"number", "name", "builtin", "title", "description", "scene", "derived", "dim", "low", "high", "solids", "pipes",
              "outlets", "view"},
    "state": {"state", "sentence", "speed"},
    "meshes": {"scene", "hash", "bytes"},
    "values": {"values", "undo", "redo"},
    "report": {"time", "step", "particles", "time_step", "safe_step", "bound", "ms", "steps_per_s", "frames_per_s", "pace",
               "neighbors_mean", "density_mean", "density_max", "kinetic", "potential", "elastic", "speed_max", "came",
               "left", "bytes", "clients", "flags"},
    "picked": {"id"},
    "files": {"folder", "files"},
    "problems": {"problems"},
    "error": {"sentence"},
    "control": {"control", "free", "waits", "waiting"},
}


class Client(Socket):
    def __init__(self, port, document):
        super().__init__(port)
        self.document = document
        self.seen = set()
        self.port = port
        self.meshes = None

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
            for attribute in message["attributes"]:
                check(set(attribute) == self.document.attribute, f"attributes: {attribute}")
            for scene in message["scenes"]:
                check(set(scene) == {"name", "title", "description"}, f"scenes: {scene}")

    def fetch(self, message):
        """Large meshes, over HTTP by their hash."""
        server = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        server.request("GET", f"/meshes/{message['hash']}")
        answer = server.getresponse()
        b = answer.read()
        check(answer.status == 200 and len(b) == message["bytes"], f"meshes: {answer.status}, {len(b)} bytes")
        check("immutable" in answer.getheader("cache-control"), "what has a hash may be kept")
        server.request("GET", "/meshes/0123456789abcdef")
        other = server.getresponse()
        check(other.status == 404 and other.read(), "meshes with another hash are not there")
        server.close()
        return Meshes(b)

    def until(self, kind, seconds=20.0, good=lambda message: True):
        """The next text of the type, or 'frame'; others are looked at and passed over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            got = self.next(max(0.01, end - time.monotonic()))
            if got is None:
                break
            if got[0] == "text":
                self.look(got[1])
                if got[1].get("type") == "meshes":
                    self.meshes = self.fetch(got[1])
                    if kind == "meshes":
                        return self.meshes
                    continue
                if got[1].get("type") == kind and good(got[1]):
                    return got[1]
            elif got[0] == "frame" and got[1][0:4] == b"RNM2":
                self.meshes = Meshes(got[1])
                if kind == "meshes":
                    return self.meshes
            elif got[0] == "frame":
                if kind == "frame":
                    frame = Frame(got[1])
                    check(all(pose[0] < len(self.meshes.names) for pose in frame.poses), "poses have meshes")
                    if good(frame):
                        return frame
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
        check(kind == "text" and hello["type"] == "hello" and hello["protocol"] == 2, "hello comes first")
        c.look(hello)
        check(hello["control"] is True and hello["watch"] is False, "the first client has control")
        known = {a["name"]: a for a in hello["attributes"]}
        check({"density", "speed", "pressure", "age", "velocity", "acceleration", "id"} <= set(known), f"attributes: {set(known)}")
        known.pop("fluid")  # particles of a scene with one fluid have none
        scene = c.until("scene")
        check(scene["scene"]["fluid"]["preset"] == "live", "a scene that names no preset is shown with live")
        check(c.until("state")["state"] == "ready", "it is ready at its start")
        check(c.until("frame", 0.5) is None, "no frames before the first want")
        # Some steps, so that things move.
        for _ in range(12):
            c.say(type="step")
        report = c.until("report", good=lambda r: r["step"] >= 12)
        # None, each alone, several, and all at once.
        wishes = [[], *([name] for name in known), ["speed", "id", "velocity"], list(known)]
        for wish in wishes:
            c.say(type="want", attributes=wish, rate=60)
            f = c.until("frame", good=lambda frame: set(frame.attributes) == set(wish))
            for name, attribute in f.attributes.items():
                check(attribute.components == known[name]["components"], f"components of {name}")
                if name in ("speed", "age"):
                    check(attribute.low == 0, f"{name} is counted from 0")
            check(f.count == report["particles"] and f.step == report["step"], "the frame is that of the report")
            check(abs(f.time - report["time"]) < 1e-9, "so is its time")
            check(f.scene == scene["number"], "number of the scene")
            check(near(f.low, scene["low"], 1e-6) and near(f.high, scene["high"], 1e-6), "the box is the scene's")
            check(abs(f.radius - scene["derived"]["spacing"] / 2) < 1e-6, "radius is half a spacing")
        check(scene["fluids"] == [], "no list of fluids")
        c.say(type="want", attributes=["speed", "fluid"], rate=60)
        check(c.until("frame", good=lambda frame: set(frame.attributes) == {"speed"}) is not None, "a frame lacks what there is not")
        c.say(type="want", attributes=list(known), rate=60)
        f = c.until("frame", good=lambda frame: set(frame.attributes) == set(known))
        check(len(set(f.attributes["id"].numbers)) == f.count, "ids are each there once")
        # Some particles in full: as the text has them and as the frame with everything does.
        for i in (0, 1, f.count // 2, f.count - 1):
            number = f.attributes["id"].value(i)
            c.say(type="pick", id=number)
            p = c.until("picked", good=lambda m: m["id"] == number)["attributes"]
            check(set(p) == set(known) | {"position"}, f"picked: {set(p) ^ set(known)}")
            box = max(h - l for l, h in zip(f.low, f.high))
            check(near(f.place(i), p["position"], box / 65535), f"position {f.place(i)} and {p['position']}")
            for name, attribute in f.attributes.items():
                exact, sent = p[name], attribute.value(i)
                slack = attribute.step() + 1e-6 * max(abs(attribute.low), abs(attribute.high))
                check(near(sent, exact, slack) if attribute.components == 3 else abs(sent - exact) <= slack,
                      f"{name}: {sent} and {exact}")
            speed = math.sqrt(sum(v * v for v in p["velocity"]))
            check(abs(p["speed"] - speed) <= 1e-5 * max(speed, 1), f"speed {p['speed']} and {speed}")
            check(abs(p["age"] - report["time"]) <= 1e-6, "all are there from the start")
        c.say(type="want", attributes=["taste"])
        check("taste" in c.until("error")["sentence"], "an unknown attribute is refused by name")
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
        # A vessel of many triangles, and a jug of glass.
        c.say(type="open", scene={"fluid": {"spacing": 0.03}, "domain": {"low": [-0.2, -0.02, -0.2], "high": [0.2, 0.2, 0.2]},
                                  "solids": [{"name": "bowl", "shape": "mesh", "make": "bowl", "center": [0, 0, 0]}],
                                  "blocks": [{"solid": "bowl", "level": 0.06}]})
        bowl = c.until("meshes")
        check(bowl.names == ["mesh"], f"meshes of the bowl: {bowl.names}")
        c.until("state", good=lambda m: m["state"] == "ready")
        c.say(type="open", scene={"fluid": {"spacing": 0.02}, "domain": {"low": [-0.2, -0.02, -0.2], "high": [0.3, 0.4, 0.2]},
                                  "solids": [{"name": "post", "shape": "sphere", "center": [0.25, 0, 0], "radius": 0.02},
                                             {"name": "jug", "shape": "mesh", "make": "jug", "center": [0, 0, 0]}],
                                  "blocks": [{"solid": "jug", "level": 0.1}]})
        jug = c.until("scene")
        check(jug["finishes"] == [None, "glass"], f"what the meshes are made of: {jug['finishes']}")
        c.until("state", good=lambda m: m["state"] == "ready")
        # One more client: it watches, waits, and has control when the first has gone.
        d = Client(port, document)
        check(d.until("hello")["control"] is False, "the second has no control")
        d.say(type="start")
        d.until("error")
        d.say(type="control")
        check(d.until("control")["waits"] is True, "it waits")
        c.send(2, b"binary")
        code, reason = c.until("end")
        check(code == 1003 and reason, f"binary is refused: {code} {reason}")
        check(d.until("control", good=lambda m: m["control"])["control"], "control passes on")
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
        check(c.until("hello")["protocol"] == 2, "protocol 2")
        low = c.until("scene")["low"]
        c.say(type="want", attributes=["density"], rate=30)
        first, second = c.until("frame"), c.until("frame")
        check(first.count == 20000 and second.step > first.step, "frames come one after the other")
        check(set(first.attributes) == {"density", "speed"}, "a frame may carry more than was asked for")
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
