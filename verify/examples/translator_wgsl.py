"""The translator of translator.py with WGSL for GLSL. verify/PROTOCOL.md describes the messages.

    lockstep judge 'python3 verify/examples/translator_wgsl.py' --isa agal
"""
from translator import BUG, EXPRESSIONS, FILES, register, serve, statement

EXPRESSIONS[0x16] = ("sat", "saturate({a})")

def kind(width):
    return "f32" if width == 1 else f"vec{width}f"

def compare(name, a, b, width):
    sign = {"sge": ">" if BUG else ">=", "slt": "<"}[name]
    return f"select({kind(width)}(0.0), {kind(width)}(1.0), {a} {sign} {b})"

def assign(destination, components, value):
    """WGSL assigns to a whole vector or to one component of it."""
    if components == "xyzw":
        return f"{destination} = {value};"
    if len(components) == 1:
        return f"{destination}.{components} = {value};"
    parts = [f"{destination}.{c} = value.{'xyzw'[n]};" for n, c in enumerate(components)]
    return f"{{ let value = {value}; {' '.join(parts)} }}"

def translate(program):
    data, entry = bytes.fromhex(program["bytes"]), program["entry"]
    stage, count = entry["stage"], entry["interface"]["constants"]
    is_fragment = stage == "fragment"
    inputs = [register(i["slot"], 4 if is_fragment else 0, stage) for i in entry["interface"]["inputs"]]
    varyings = [name for name in sorted(entry["outputs"]) if name.startswith("v")]
    prefix, temporary, result = FILES[stage][1:4]
    fields = [] if is_fragment else ["@builtin(position) op: vec4f"]
    fields += [f"@location({n}) {name}: vec4f" for n, name in enumerate(["oc"] if is_fragment else varyings)]
    arguments = [f"@location({n}) {name}: vec4f" for n, name in enumerate(inputs)]
    body = [f"var {name} = vec4f();" for name in [f"{temporary}{n}" for n in range(8)] + [result, *varyings]]
    body += [f"let {prefix}{n} = constants[{n}];" for n in range(count)]
    body += [statement(data, at, stage, kind, compare, assign) for at in range(7, len(data), 24)]
    places = {"oc": "0"} if is_fragment else {"op": "position", **{name: str(n) for n, name in enumerate(varyings)}}
    return {
        "verdict": "accepted", "language": "wgsl",
        "source": "\n".join([
            f"@group(0) @binding(0) var<uniform> constants: array<vec4f, {max(count, 1)}>;", f"struct Results {{ {', '.join(fields)} }}",
            f"@{stage} fn main({', '.join(arguments)}) -> Results {{", *body, f"return Results({', '.join([result, *varyings])});", "}", ""]),
        "inputs": {name: {"name": str(n)} for n, name in enumerate(inputs)},
        "outputs": {name: {"name": places[name]} for name in entry["outputs"]},
        "constants": [{"name": "0", "count": count, "block": True}] if count else [],
    }

if __name__ == "__main__":
    serve(translate, "wgsl")
