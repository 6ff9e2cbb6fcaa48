// The viewer's page in a real browser, with the real program behind it. node page_test.mjs RUNNEL [REGEX]
// Facts are in page/*.mjs by what they are about; each opens its own page and returns it.
import assert from 'node:assert/strict';
import {World} from './page/world.mjs';
import {before} from './page/before.mjs';
import {everyone} from './page/everyone.mjs';
import {hand} from './page/hand.mjs';
import {keep} from './page/keep.mjs';
import {looks} from './page/looks.mjs';
import {running} from './page/running.mjs';

const [command, only = '.'] = process.argv.slice(2);
if (!command) {
    console.error('usage: node page_test.mjs RUNNEL [REGEX]');
    process.exit(2);
}
const world = await World.open(command);
let failures = 0;
for (const [name, fact] of Object.entries({...looks, ...running, ...hand, ...before, ...keep, ...everyone})) {
    if (!new RegExp(only).test(name)) continue;
    const started = Date.now();
    try {
        const page = await fact(world);
        assert.deepEqual(page.complaints, [], 'the console is quiet');
        await page.context().close();
        console.log(`ok      ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failures++;
        console.log(`FAILED  ${name}: ${error.stack ?? error}`);
        await world.showWrong(name);
    }
}
await world.close();
console.log(failures ? `${failures} failed` : 'all hold');
process.exit(failures ? 1 : 0);
