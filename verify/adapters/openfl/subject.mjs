// OpenFL's converter from AGAL to GLSL as a subject, which is judged by running its translations.
//     lockstep judge "$(cat FOLDER/command)" --isa agal
import { createInterface } from 'node:readline';
import { createReadStream, readFileSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';

const folder = process.argv[2] + '/openfl/';
const require = createRequire(import.meta.url);
const formats = folder + 'lib/_gen/openfl/_internal/formats/agal/';
const { default: Converter } = require(formats + 'AGALConverter.js');
// Makes the converter write GLSL 1.20 instead of GLSL ES, without querying a context.
Converter.limitedProfile = false;

// The bytes in the form that the converter reads.
class Bytes {
    constructor(data) {
        this.data = data;
        this.position = 0;
        this.l = data.length;
    }
    set_endian() {}
    take(width) {
        if (this.position + width > this.data.length) throw new Error('end of file');
        this.position += width;
        return this.position - width;
    }
    readByte() { return this.data.readInt8(this.take(1)); }
    readInt() { return this.data.readInt32LE(this.take(4)); }
    readUnsignedInt() { return this.data.readUInt32LE(this.take(4)); }
}

function translate(program) {
    let source;
    try {
        source = Converter.convertToGLSL(new Bytes(Buffer.from(program.bytes, 'hex')), null);
    } catch (error) {
        return { verdict: 'rejected', message: String(error?.val?.message ?? error?.message ?? error) };
    }
    const { stage, interface: { constants }, outputs } = program.entry;
    const vertex = stage === 'vertex';
    // Temporaries that are not written are undefined in GLSL; in the reference they are zero.
    source = source.replace(/^(\tvec4 [vf]t\d+);$/gm, '$1 = vec4(0.0);');
    // The converter scales the position to the player's window. A program that does not write the position gets one.
    source = source.replace('gl_Position *= vcPositionScale;', outputs.op ? '' : 'gl_Position = vec4(0.0);');
    const place = (name) => ({ name: { op: 'gl_Position', oc: 'gl_FragColor' }[name] ?? name });
    const declared = [...source.matchAll(/(attribute|varying) vec4 (\w+);/g)];
    const inputs = declared.filter(([, kind]) => (kind === 'attribute') === vertex).map(([, , name]) => [name, place(name)]);
    const uniforms = [...source.matchAll(/uniform (vec4|mat4) ([vf]c(\d+))(\[128\])?;/g)];
    return {
        verdict: 'accepted', language: 'glsl', source,
        inputs: Object.fromEntries(inputs),
        outputs: Object.fromEntries(Object.keys(outputs).map((name) => [name, place(name)])),
        constants: uniforms.map(([, kind, name, number, array]) =>
            ({ name, first: Number(number), count: array ? 128 : kind === 'mat4' ? 4 : 1, matrix: kind === 'mat4' })),
    };
}

function answer({ method, params }) {
    if (method !== 'initialize') return translate(params);
    const { version } = JSON.parse(readFileSync(folder + 'package.json'));
    return { protocol: 1, name: "OpenFL's AGAL converter", version, isas: ['agal'], abilities: ['translate'] };
}

for await (const line of createInterface({ input: createReadStream(null, { fd: Number(process.env.LOCKSTEP_IN) }) })) {
    const messages = [JSON.parse(line)].flat();
    const answers = messages.map((message) => ({ jsonrpc: '2.0', id: message.id, result: answer(message) }));
    let rest = Buffer.from(JSON.stringify(answers) + '\n');
    while (rest.length) rest = rest.subarray(writeSync(Number(process.env.LOCKSTEP_OUT), rest));
}
