// AwayJS' modules are written for bundlers: imports lack file extensions, and of the core package, most of which needs a browser, the tokenizer uses only
// one class. These hooks let Node find the modules.
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
