// AwayJS' AGAL tokenizer as a subject: its tokens are printed in the syntax of Lockstep's assembler.
//     lockstep judge "$(cat FOLDER/command)" --isa agal
import { createInterface } from 'node:readline';
import { createReadStream, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const stage = pathToFileURL(process.argv[2]).href + '/@awayjs/stage/dist/lib/aglsl/';
const { AGALTokenizer } = await import(stage + 'AGALTokenizer.js');
const { ByteArray } = await import(pathToFileURL(process.argv[2]).href + '/@awayjs/core/dist/lib/utils/ByteArray.js');

const OPCODES = ('mov add sub mul div rcp min max frc sqt rsq pow log exp nrm sin cos crs dp3 dp4 abs neg sat m33 m44 m34 ddx ddy ife ine ifg ifl els eif'
    + ' - - - - ted kil tex sge slt sgn seq sne').split(' ');
const FILES = { vertex: ['va', 'vc', 'vt', 'op', 'v', 'vs'], fragment: ['va', 'fc', 'ft', 'oc', 'v', 'fs'] };
const OPTIONS = {
    dim: ['2d', 'cube', '3d'], wrap: ['clamp', 'repeat', 'clamp_u_repeat_v', 'repeat_u_clamp_v'], mipmap: ['nomip', 'mipnearest', 'miplinear'],
    filter: ['nearest', 'linear', 'anisotropic2x', 'anisotropic4x', 'anisotropic8x', 'anisotropic16x'],
};
const FORMATS = ['rgba', 'dxt1', 'dxt5', 'video'];
const letters = (places) => '.' + places.map((place) => 'xyzw'[place]).join('');

function named(list, value) {
    if (list[value] === undefined) throw `there is no name for ${value}`;
    return list[value];
}

function register(type, number, stage) {
    const file = named(FILES[stage], type);
    return file === 'op' || file === 'oc' && number === 0 ? file : file + number;
}

function source(operand, stage) {
    const swizzle = letters([0, 2, 4, 6].map((bit) => operand.swizzle >> bit & 3));
    // The bit for indirect addressing is the top one of its byte.
    if (!(operand.indirectflag & 128)) return register(operand.regtype, operand.regnum, stage) + swizzle;
    const index = register(operand.indexregtype, operand.regnum, stage) + letters([operand.indexselect & 3]);
    const offset = operand.indexoffset & 255;
    return `${named(FILES[stage], operand.regtype)}[${index}${offset ? '+' + offset : ''}]${swizzle}`;
}

function sampler(operand, stage) {
    const options = Object.entries(OPTIONS).map(([field, names]) => named(names, operand[field]));
    options.push(named(FORMATS, operand.readmode));
    for (const [bit, name] of [[1, 'centroid'], [2, 'single'], [4, 'ignoresampler']]) if (operand.special & bit) options.push(name);
    if (operand.lodbiad) options.push(String((operand.lodbiad << 24 >> 24) / 8));
    return `${named(FILES[stage], 5)}${operand.regnum}<${options.join(',')}>`;
}

function text(description) {
    const { version, type } = description.header;
    const lines = description.tokens.map(({ opcode, dest, a, b }) => {
        const operands = [];
        if (dest) operands.push(register(dest.regtype, dest.regnum, type) + letters([0, 1, 2, 3].filter((bit) => dest.mask >> bit & 1)));
        for (const operand of [a, b]) if (operand) operands.push(operand.regtype === 5 ? sampler(operand, type) : source(operand, type));
        return `${named(OPCODES, opcode)} ${operands.join(', ')}`;
    });
    return [`version ${version} ${type}`, ...lines, ''].join('\n');
}

function decode(bytes) {
    const array = new ByteArray();
    array.setArrayBuffer(new Uint8Array(bytes).buffer);
    let description;
    try {
        description = new AGALTokenizer().decribeAGALByteArray(array);
    } catch (error) {
        return { verdict: 'rejected', message: String(error) };
    }
    try {
        return { verdict: 'accepted', text: text(description) };
    } catch (error) {
        return { verdict: 'unsupported', message: String(error) };
    }
}

function answer({ method, params }) {
    if (method === 'initialize') return { protocol: 1, name: "AwayJS' AGAL tokenizer", isas: ['agal'], abilities: ['decode'] };
    return decode(Buffer.from(params.bytes, 'hex'));
}

for await (const line of createInterface({ input: createReadStream(null, { fd: Number(process.env.LOCKSTEP_IN) }) })) {
    const messages = [JSON.parse(line)].flat();
    const answers = messages.map((message) => ({ jsonrpc: '2.0', id: message.id, result: answer(message) }));
    let rest = Buffer.from(JSON.stringify(answers) + '\n');
    while (rest.length) rest = rest.subarray(writeSync(Number(process.env.LOCKSTEP_OUT), rest));
}
