import { findReplyTokens } from '#channels/email/inbound/find-reply-token';
import { interpretReply } from '#channels/email/inbound/interpret-reply';
import { parseIncomingEmail } from '#channels/email/inbound/parse-in-thread';
import { writeRawEmail } from '#test/support/email/email-fixture';
import { EMAIL_TOKEN_SECRET, emailField, emailOptions, emailQuestion } from '#test/support/email/email-samples';
import { expectLinearTime } from '#test/support/expect-linear-time';

const multiSelect = emailQuestion([emailField({ options: emailOptions('A', 'B'), multiSelect: true })]);
const form = emailQuestion([emailField(), emailField({ key: 'q2', header: 'Coats' })]);

const harmless = (like: string) => 'words of a mail\n'.repeat(Math.ceil(like.length / 16));

describe('a hostile email is parsed quickly', () => {
  it.each([
    ['spaces in a header', [`References: ${' '.repeat(80_000)}x`]],
    ['trailing spaces', [`References: ${`${' '.repeat(900)}\r\n x`.repeat(90)}`]],
    ['prefixes of ids', [`References: ${'<a'.repeat(40_000)}`]],
    ['prefixes of addresses', [`To: ${'+aaaa'.repeat(16_000)}`]],
    ['a thousand headers', Array.from({ length: 1_000 }, () => `To: ${'+a'.repeat(40)}`)],
  ])('with %s', async (_what, headers) => {
    const raw = writeRawEmail({ headers, body: 'Blue' });
    const harmlessEmail = writeRawEmail({ headers: [], body: harmless(raw.toString()) });
    const read = async (mail: typeof raw) => findReplyTokens(await parseIncomingEmail(mail), EMAIL_TOKEN_SECRET);
    await expectLinearTime(
      () => read(raw),
      () => read(harmlessEmail),
    );
  });

  it.each([
    ['many choices', multiSelect, 'A,'.repeat(15_000)],
    ['many custom answers', multiSelect, `${'other: ,'.repeat(3_500)}`],
    ['many options and a custom answer', multiSelect, `${'A,'.repeat(14_000)}other: x`],
    ['full stops', multiSelect, `${'…'.repeat(990)}x\n`.repeat(10)],
    ['spaces with several questions', form, `${' '.repeat(30_000)}x`],
    ['a name with spaces and several questions', form, `a${' '.repeat(30_000)}x`],
  ])('with an answer of %s', async (_what, question, text) => {
    await expectLinearTime(
      () => interpretReply(question, text),
      () => interpretReply(question, harmless(text)),
    );
  });
});
