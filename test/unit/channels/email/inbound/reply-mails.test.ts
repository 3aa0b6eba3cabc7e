import { readFileSync } from 'node:fs';
import path from 'node:path';
import { interpretReply } from '#channels/email/inbound/interpret-reply';
import { parseEmail } from '#channels/email/inbound/parse-email';
import { writeRawEmail } from '#test/support/email/email-fixture';
import { emailField, emailQuestion } from '#test/support/email/email-samples';

const SENT = [
  'painter asks',
  'Which colour?',
  '',
  '  1. Red',
  '  2. Blue',
  '',
  '--------------------',
  `[parley:${'0123456789abcdef'.repeat(3)}]`,
];
const MACROS: Record<string, string> = {
  '{quote}': SENT.map((line) => `> ${line}`.trimEnd()).join('\n'),
  '{plain}': SENT.join('\n'),
  '{html}': SENT.map((line) => `<p>${line}</p>`).join(''),
};
const CONTENT_TYPES: Record<string, string> = {
  text: 'text/plain; charset=utf-8',
  flowed: 'text/plain; charset=utf-8; format=flowed',
  delsp: 'text/plain; charset=utf-8; format=flowed; delsp=yes',
  html: 'text/html; charset=utf-8',
};

const file = readFileSync(path.join(__dirname, '../../../../support/email/reply-mails.txt'), 'utf8');
const mails = file
  .split(/^=== /m)
  .slice(1)
  .map((entry) => {
    const [title = '', expected = '', ...lines] = entry.trimEnd().split('\n');
    const [program = '', language = '', format = ''] = title.split(' | ');
    const body = lines.join('\n').replace(/~$/gm, ' ');
    return {
      name: `${program} (${language})`,
      format,
      expected: expected.slice(3).replaceAll('\\n', '\n'),
      body: body.replace(/\{\w+\}/g, (macro) => MACROS[macro] ?? macro),
    };
  });

/** A question that takes any text, so that whatever is left of a quote becomes part of the answer. */
const question = emailQuestion([emailField()]);

describe('a reply', () => {
  it.each(mails)('is read as what the person wrote: $name', async ({ format, expected, body }) => {
    const headers = ['MIME-Version: 1.0', `Content-Type: ${CONTENT_TYPES[format]}`, 'Content-Transfer-Encoding: 8bit'];
    const mail = await parseEmail(writeRawEmail({ headers, body: body.replaceAll('\n', '\r\n') }));
    const reply = interpretReply(question, mail.reply);
    expect(reply).toMatchObject(expected === '?' ? { kind: 'unclear' } : { kind: 'answer', answers: { q1: expected } });
  });
});
