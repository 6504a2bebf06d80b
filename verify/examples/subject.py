"""A decoder and executor of four AGAL opcodes, to be judged. verify/PROTOCOL.md describes the messages.

    lockstep judge 'python3 verify/examples/subject.py' --isa agal

With --bug, sge is greater instead of greater or equal.
"""
import ctypes, json, os, struct, sys

OPCODES = {0x00: ("mov", 1), 0x01: ("add", 2), 0x03: ("mul", 2), 0x29: ("sge", 2)}
FILES = {0: "va", 1: "vc", 2: "vt", 3: "op", 4: "v"}
PROFILE = {"supports": "only mov, add, mul, sge; no index", "stages": ["vertex"], "versions": [1]}
BUG = "--bug" in sys.argv

def source(bits):
    """A source operand: its register, and which component stands in each place."""
    return FILES[bits >> 32 & 0xF] + str(bits & 0xFFFF), [bits >> 24 + 2 * c & 3 for c in range(4)]

def decode(data):
    """The instructions: opcode, destination, the components written, sources."""
    program = []
    for at in range(7, len(data), 24):
        opcode, destination, a, b = struct.unpack_from("<IIQQ", data, at)
        name, count = OPCODES[opcode]
        file, number, mask = FILES[destination >> 24 & 0xF], destination & 0xFFFF, destination >> 16 & 0xF
        register = file if file == "op" else file + str(number)
        program.append((name, register, [c for c in range(4) if mask >> c & 1], [source(s) for s in (a, b)[:count]]))
    return program

def text(program):
    """The program as Lockstep's assembler reads it."""
    letters = lambda components: "".join("xyzw"[c] for c in components)
    lines = [f"{name} " + ", ".join(f"{r}.{letters(c)}" for r, c in [(register, mask), *sources])
             for name, register, mask, sources in program]
    return "\n".join(["version 1 vertex", *lines]) + "\n"

def compute(name, x, y):
    if name == "sge":
        return float(x > y if BUG else x >= y)
    exact = {"mov": lambda: x, "add": lambda: x + y, "mul": lambda: x * y}[name]()
    return ctypes.c_float(exact).value  # binary64 in between changes no sum and no product of binary32

def run(program, registers):
    for name, register, mask, sources in program:
        x, *y = [[registers.get(r, [0.0] * 4)[c] for c in swizzle] for r, swizzle in sources]
        y, old = y[0] if y else x, registers.get(register, [0.0] * 4)
        registers[register] = [compute(name, x[c], y[c]) if c in mask else old[c] for c in range(4)]
    return registers

def answer(method, params):
    if method == "initialize":
        return {"protocol": 1, "name": "example", "isas": ["agal"], "abilities": ["decode", "run"], "profile": PROFILE}
    file = params if method == "decode" else params["program"]
    data = bytes.fromhex(file["bytes"])
    if data[:7] != b"\xa0\1\0\0\0\xa1\0" or (len(data) - 7) % 24:
        return {"verdict": "rejected", "message": "no header of a vertex program of version 1, or half a token"}
    try:
        program = decode(data)
    except KeyError as unknown:
        return {"verdict": "unsupported", "message": f"there is no number {unknown}"}
    if method == "decode":
        return {"verdict": "accepted", "consumed": len(data), "text": text(program)}
    lanes = []
    for lane in params["lanes"]:
        bits = {f"vc{n}": value for n, value in enumerate(params["constants"])} | lane
        registers = {r: [struct.unpack(">f", bytes.fromhex(v))[0] for v in value] for r, value in bits.items()}
        run(program, registers)
        outputs = {r: [struct.pack(">f", v).hex() for v in registers[r]] for r in file["entry"]["outputs"]}
        lanes.append({"status": "finished", "outputs": outputs})
    return {"verdict": "accepted", "lanes": lanes}

host, out = open(int(os.environ["LOCKSTEP_IN"])), open(int(os.environ["LOCKSTEP_OUT"]), "w")
for line in host:
    messages = json.loads(line)
    batch = messages if isinstance(messages, list) else [messages]
    answers = [{"jsonrpc": "2.0", "id": m["id"], "result": answer(m["method"], m["params"])} for m in batch]
    print(json.dumps(answers), file=out, flush=True)
