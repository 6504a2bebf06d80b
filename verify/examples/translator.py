"""A translator of AGAL vertex and fragment programs into GLSL, to be judged. verify/PROTOCOL.md describes the messages.

    lockstep judge 'python3 verify/examples/translator.py' --isa agal

It needs Mesa's software rasteriser (ci/rasteriser). With --bug, sge is greater instead of greater or equal; with --broken, sub does not compile.
"""
import json, os, struct, sys

BUG, BROKEN = "--bug" in sys.argv, "--broken" in sys.argv
FILES = {"vertex": ["va", "vc", "vt", "op", "v"], "fragment": ["va", "fc", "ft", "oc", "v"]}
# Opcode numbers with expressions: {a} and {b} are the sources, as vectors of the components that are written.
EXPRESSIONS = {
    0x00: ("mov", "{a}"), 0x01: ("add", "{a} + {b}"), 0x02: ("sub", "{a} -- {b};;" if BROKEN else "{a} - {b}"),
    0x03: ("mul", "{a} * {b}"), 0x05: ("rcp", "1.0 / {a}"), 0x06: ("min", "min({a}, {b})"), 0x07: ("max", "max({a}, {b})"),
    0x08: ("frc", "fract({a})"), 0x09: ("sqt", "sqrt({a})"), 0x0D: ("exp", "exp2({a})"), 0x0F: ("sin", "sin({a})"),
    0x14: ("abs", "abs({a})"), 0x15: ("neg", "-{a}"), 0x16: ("sat", "clamp({a}, 0.0, 1.0)"), 0x29: ("sge", "{a} sge {b}"), 0x2A: ("slt", "{a} slt {b}"),
}
DOTS = {0x12: ("dp3", 3), 0x13: ("dp4", 4)}
PROFILE = {
    "supports": "only %s, kil; no index" % ", ".join(name for name, _ in [*EXPRESSIONS.values(), *DOTS.values()]),
    "versions": [1], "stages": ["vertex", "fragment"], "passes": ["mov"], "defined": True,
    "operations": {"rcp": "divide", "sqt": "sqrt", "exp": "exp2", "sin": "sin", "dp3": "dot", "dp4": "dot"},
}

def register(bits, kind, stage):
    name = FILES[stage][kind]
    return name if name in ("op", "oc") else name + str(bits & 0xFFFF)

def source(bits, stage, components):
    """The components of a source that stand in these places."""
    return register(bits, bits >> 32 & 0xF, stage) + "." + "".join("xyzw"[bits >> 24 + 2 * c & 3] for c in components)

def kind(width):
    return "float" if width == 1 else f"vec{width}"

def compare(name, a, b, width):
    """1.0 where a comparison holds, for vectors of this width."""
    function, sign = {"sge": ("greaterThan", ">") if BUG else ("greaterThanEqual", ">="), "slt": ("lessThan", "<")}[name]
    return f"float({a} {sign} {b})" if width == 1 else f"vec{width}({function}({a}, {b}))"

def assign(destination, components, value):
    return f"{destination}.{components} = {value};"

def statement(data, at, stage, kind=kind, compare=compare, assign=assign):
    opcode, destination, a, b = struct.unpack_from("<IIQQ", data, at)
    if opcode == 0x27:
        return f"if ({source(a, stage, [0])} < 0.0) {{ discard; }}"
    mask = [c for c in range(4) if destination >> 16 + c & 1]
    width = len(mask)
    if opcode in DOTS:
        places = range(DOTS[opcode][1])
        value = f"{kind(width)}(dot({source(a, stage, places)}, {source(b, stage, places)}))"
    else:
        name, expression = EXPRESSIONS[opcode]
        a, b = source(a, stage, mask), source(b, stage, mask) if "{b}" in expression else ""
        value = compare(name, a, b, width) if name in ("sge", "slt") else expression.format(a=f"({a})", b=f"({b})")
    return assign(register(destination, destination >> 24 & 0xF, stage), "".join("xyzw"[c] for c in mask), value)

def translate(program):
    data, stage = bytes.fromhex(program["bytes"]), program["entry"]["stage"]
    statements = [statement(data, at, stage) for at in range(7, len(data), 24)]
    inputs = [(register(i["slot"], 4 if stage == "fragment" else 0, stage)) for i in program["entry"]["interface"]["inputs"]]
    outputs = sorted(program["entry"]["outputs"])
    prefix = "fc" if stage == "fragment" else "vc"
    count = program["entry"]["interface"]["constants"]
    given = "varying" if stage == "fragment" else "attribute"
    declared = [f"{given} vec4 {name};" for name in inputs] + [f"uniform vec4 {prefix}{n};" for n in range(count)]
    declared += [f"varying vec4 {name};" for name in outputs if name.startswith("v")]
    locals_ = [f"vec4 {name} = vec4(0.0);" for name in [f"{FILES[stage][2]}{n}" for n in range(8)] + [FILES[stage][3]]]
    body = locals_ + statements + ["gl_FragColor = oc;" if stage == "fragment" else "gl_Position = op;"]
    names = {"op": "gl_Position", "oc": "gl_FragColor"}
    return {
        "verdict": "accepted", "language": "glsl",
        "source": "\n".join(["#version 120", *declared, "void main() {", *body, "}", ""]),
        "inputs": {name: {"name": name} for name in inputs},
        "outputs": {name: {"name": names.get(name, name)} for name in outputs},
        "constants": [{"name": f"{prefix}{n}", "first": n} for n in range(count)],
    }

def serve(translate, language):
    def answer(method, params):
        if method == "initialize":
            hello = {"protocol": 1, "name": "example", "isas": ["agal"], "abilities": ["translate"]}
            return {**hello, "language": language, "profile": PROFILE}
        return translate(params)

    host, out = open(int(os.environ["LOCKSTEP_IN"])), open(int(os.environ["LOCKSTEP_OUT"]), "w")
    for line in host:
        messages = json.loads(line)
        batch = messages if isinstance(messages, list) else [messages]
        answers = [{"jsonrpc": "2.0", "id": m["id"], "result": answer(m["method"], m["params"])} for m in batch]
        print(json.dumps(answers), file=out, flush=True)

if __name__ == "__main__":
    serve(translate, "glsl")
