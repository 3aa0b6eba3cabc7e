import { readMail } from '#channels/email/reply/read-mail';
import { findTokens } from '#channels/email/reply/tokens';
import { understand } from '#channels/email/reply/understand';
import { field, options, question, SECRET } from '#test/support/channels/email/given';
import { expectLinear } from '#test/support/linear';
import { written } from '#test/support/replies';

const several = question([field({ options: options('A', 'B'), multiSelect: true })]);
const form = question([field(), field({ key: 'q2', header: 'Coats' })]);

const harmless = (like: string) => 'words of a mail\n'.repeat(Math.ceil(like.length / 16));

describe('a hostile mail takes no time to read', () => {
  it.each([
    ['spaces in a header', [`References: ${' '.repeat(80_000)}x`]],
    ['spaces before the ends of lines', [`References: ${`${' '.repeat(900)}\r\n x`.repeat(90)}`]],
    ['the beginnings of ids', [`References: ${'<a'.repeat(40_000)}`]],
    ['the beginnings of addresses', [`To: ${'+aaaa'.repeat(16_000)}`]],
    ['a thousand headers', Array.from({ length: 1_000 }, () => `To: ${'+a'.repeat(40)}`)],
  ])('with %s', async (_what, headers) => {
    const raw = written({ headers, body: 'Blue' });
    const plain = written({ headers: [], body: harmless(raw.toString()) });
    const read = async (mail: typeof raw) => findTokens(await readMail(mail), SECRET);
    await expectLinear(
      () => read(raw),
      () => read(plain),
    );
  });

  it.each([
    ['many choices', several, 'A,'.repeat(15_000)],
    ['many that are others', several, `${'other: ,'.repeat(3_500)}`],
    ['many choices and another', several, `${'A,'.repeat(14_000)}other: x`],
    ['full stops', several, `${'…'.repeat(990)}x\n`.repeat(10)],
    ['spaces where there are several questions', form, `${' '.repeat(30_000)}x`],
    ['a name with spaces where there are several questions', form, `a${' '.repeat(30_000)}x`],
  ])('with an answer of %s', async (_what, asked, words) => {
    await expectLinear(
      () => understand(asked, words),
      () => understand(asked, harmless(words)),
    );
  });
});
