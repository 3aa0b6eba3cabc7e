import { isSenderUnproven } from '#channels/email/inbound/auto-reply-detection';
import { parseEmail, readHeader } from '#channels/email/inbound/parse-email';
import { writeRawEmail } from '#test/support/email/email-fixture';

describe('the sender of a reply', () => {
  it.each<[string, boolean, ...string[]]>([
    ['no result', false],
    ['DMARC', false, 'mx.example.net; spf=none; dmarc=pass (p=NONE) header.from=example.com'],
    ['a signature of their domain', false, 'mx.example.net; spf=fail; dkim=pass header.d=example.com header.s=a'],
    ['a signature of a domain above', false, 'mx.example.net; dkim=pass header.i=@mail.example.com'],
    ['their domain as the sending one', false, 'mx.example.net; spf=pass smtp.mailfrom=bounce@example.com'],
    ['one of two signatures', false, 'mx; dkim=fail header.d=a.example; dkim=pass header.d=example.com'],
    ['a signature of another domain', true, 'mx.example.net; dkim=pass header.d=evil.example'],
    ['a signature of a domain that ends alike', true, 'mx.example.net; dkim=pass header.d=notexample.com'],
    ['a signature of a top-level domain', true, 'mx.example.net; dkim=pass header.d=com'],
    ['another sending domain', true, 'mx.example.net; spf=pass smtp.mailfrom=a@evil.example'],
    ['a failed signature', true, 'mx.example.net; dkim=fail header.d=example.com; spf=softfail'],
    ['a pass in a comment', true, 'mx.example.net; spf=none (dmarc=pass; dkim=pass header.d=example.com)'],
    ['a pass that others added below', true, 'mx.example.net; dkim=none', 'mx.example.net; dmarc=pass'],
  ])('is proven, or not reported, with %s: %s', async (_what, isUnproven, ...results) => {
    const headers = results.map((result) => `Authentication-Results: ${result}`);
    const mail = await parseEmail(writeRawEmail({ headers, body: 'yes' }));
    expect(isSenderUnproven({ ...mail, header: (name) => readHeader(mail.headerLines, name) })).toBe(isUnproven);
  });
});
