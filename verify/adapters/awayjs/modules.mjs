// AwayJS' modules are written for bundlers: imports lack endings, and what the tokenizer needs of the core package is one class of many that want a
// browser. Node finds them so.
import { register } from 'node:module';

register('data:text/javascript,' + encodeURIComponent(`
export async function resolve(specifier, context, next) {
    if (specifier === '@awayjs/core') {
        const stage = context.parentURL.slice(0, context.parentURL.indexOf('/@awayjs/stage/'));
        return next(stage + '/@awayjs/core/dist/lib/utils/ByteArray.js', context);
    }
    const local = specifier.startsWith('.') || specifier.startsWith('file:');
    return next(local && !/[.]m?js$/.test(specifier) ? specifier + '.js' : specifier, context);
}
export async function load(url, context, next) {
    return next(url, url.includes('/@awayjs/') ? { ...context, format: 'module' } : context);
}`));
