"""A translator of some AGAL vertex programs into SPIR-V, which it assembles. With --bug, mul adds; with --broken, the module ends too early;
with --other, the translations are said to be WGSL; with --far, the constants are at a binding that OpenGL does not have."""
import json, os, struct, sys

OPERATIONS = {0x00: ("mov", None), 0x01: ("add", 129), 0x02: ("sub", 131), 0x03: ("mul", 129 if "--bug" in sys.argv else 133)}
PROFILE = {
    "supports": "only mov, add, sub, mul; mask=full; a.swizzle=identity; b.swizzle=identity; no index",
    "stages": ["vertex"], "versions": [1], "passes": ["mov"], "defined": True,
}
FILES = {0: "va", 1: "vc", 2: "vt", 4: "v"}


def instruction(opcode, *operands):
    return [(len(operands) + 1) << 16 | opcode, *operands]


def translate(program):
    data, entry = bytes.fromhex(program["bytes"]), program["entry"]
    inputs = [i["slot"] for i in entry["interface"]["inputs"]]
    outputs, count = sorted(entry["outputs"]), max(entry["interface"]["constants"], 1)
    void, function, float_, vec4, uint, zero, zeros, length, array, block = range(1, 11)
    in_, out, uniform, element, constants, main, label, kind = range(11, 19)
    types = [
        instruction(19, void), instruction(33, kind, void), instruction(22, float_, 32), instruction(23, vec4, float_, 4), instruction(21, uint, 32, 0),
        instruction(43, float_, zero, 0), instruction(44, vec4, zeros, *[zero] * 4), instruction(43, uint, length, count), instruction(28, array, vec4, length),
        instruction(30, block, array), instruction(32, in_, 1, vec4), instruction(32, out, 3, vec4), instruction(32, uniform, 2, block),
        instruction(32, element, 2, vec4), instruction(59, uniform, constants, 2),
    ]
    decorations = [
        instruction(71, array, 6, 16), instruction(71, block, 2), instruction(72, block, 0, 35, 0),
        instruction(71, constants, 34, 0), instruction(71, constants, 33, 5),
    ]
    body, interface, values, next_id = [], [], {}, 101
    types.append(instruction(43, uint, 100, 0))
    for place, slot in enumerate(inputs):
        types.append(instruction(59, in_, next_id, 1))
        decorations.append(instruction(71, next_id, 30, place))
        body.append(instruction(61, vec4, next_id + 1, next_id))
        interface.append(next_id)
        values[f"va{slot}"], next_id = next_id + 1, next_id + 2
    for number in range(count):
        types.append(instruction(43, uint, next_id, number))
        body += [instruction(65, element, next_id + 1, constants, 100, next_id), instruction(61, vec4, next_id + 2, next_id + 1)]
        values[f"vc{number}"], next_id = next_id + 2, next_id + 3
    for at in range(7, len(data), 24):
        opcode, destination, a, b = struct.unpack_from("<IIQQ", data, at)
        register = lambda bits, file: "op" if file == 3 else FILES[file] + str(bits & 0xFFFF)
        a, b = (values.get(register(bits, bits >> 32 & 0xF), zeros) for bits in (a, b))
        if OPERATIONS[opcode][1]:
            body.append(instruction(OPERATIONS[opcode][1], vec4, next_id, a, b))
            a, next_id = next_id, next_id + 1
        values[register(destination, destination >> 24 & 0xF)] = a
    for place, name in enumerate(outputs):
        types.append(instruction(59, out, next_id, 3))
        decorations.append(instruction(71, next_id, *((11, 0) if name == "op" else (30, place))))
        body.append(instruction(62, next_id, values.get(name, zeros)))
        interface.append(next_id)
        next_id += 1
    name = [int.from_bytes(b"main", "little"), 0]
    head = [instruction(17, 1), instruction(14, 0, 1), instruction(15, 0, main, *name, *interface)]
    code = [instruction(54, void, main, 0, kind), instruction(248, label), *body, instruction(253), instruction(56)]
    words = [0x07230203, 0x10000, 0, next_id, 0, *sum(head + decorations + types + code, [])]
    if "--broken" in sys.argv:
        words[-1] = 9 << 16 | 56
    return {
        "verdict": "accepted", "language": "wgsl" if "--other" in sys.argv else "spirv",
        "source": struct.pack(f"<{len(words)}I", *words).hex(),
        "inputs": {f"va{slot}": {"name": str(n)} for n, slot in enumerate(inputs)},
        "outputs": {name: {"name": "position" if name == "op" else str(n)} for n, name in enumerate(outputs)},
        "constants": [{"name": "5000" if "--far" in sys.argv else "5", "count": count, "block": True}],
    }


host, to = open(int(os.environ["LOCKSTEP_IN"])), open(int(os.environ["LOCKSTEP_OUT"]), "w")
for line in host:
    messages = json.loads(line)
    answers = []
    for message in messages if isinstance(messages, list) else [messages]:
        hello = {"protocol": 1, "name": "assembler", "isas": ["agal"], "abilities": ["translate"], "language": "spirv", "profile": PROFILE}
        result = hello if message["method"] == "initialize" else translate(message["params"])
        answers.append({"jsonrpc": "2.0", "id": message["id"], "result": result})
    print(json.dumps(answers), file=to, flush=True)
