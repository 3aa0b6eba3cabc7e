import { decodeTypedText, escapeAndTruncate, markdownToMrkdwn } from '#channels/slack/blocks/text';
import { toWellFormed } from '#core/json';

describe('Markdown in Slack', () => {
  it.each([
    ['**bold** and *thin*', '*bold* and *thin*'],
    ['# Title\ntext', '*Title*\ntext'],
    ['- one\n* two\n  + three', '• one\n• two\n  • three'],
    ['[here](https://evil.example)', 'here (https://evil.example)'],
    ['![pixel](https://evil.example/p.png)', 'pixel (https://evil.example/p.png)'],
    ['a < b & c > d', 'a &lt; b &amp; c &gt; d'],
    ['<!channel>', '&lt;!channel&gt;'],
    ['```json\n- **x**\n```', '```\n- **x**\n```'],
    ['```\nopen', '```\nopen\n```'],
  ])('%j becomes %j', (markdown, text) => {
    expect(markdownToMrkdwn(markdown, 1_000)).toEqual({ text, isTruncated: false });
  });

  it('is truncated within the limit, and never within a character', () => {
    for (const text of ['&'.repeat(50), '🙂'.repeat(50), `\`\`\`\n${'x'.repeat(90)}`, '<'.repeat(60)])
      for (let maxLength = 10; maxLength < 60; maxLength += 1) {
        const truncated = markdownToMrkdwn(text, maxLength);
        expect(truncated.isTruncated).toBe(true);
        expect(truncated.text.length).toBeLessThanOrEqual(maxLength);
        expect(truncated.text.replace(/&(amp|lt|gt);/g, '')).not.toMatch(/[&<>]/);
        expect(toWellFormed(truncated.text)).toBe(truncated.text);
      }
  });

  it('contains no unpaired surrogates', () => {
    expect(escapeAndTruncate('a\ud83db', 10).text).toBe('a\ufffdb');
  });
});

it.each([
  ['plain', 'plain'],
  ['a &lt;b&gt; &amp;lt;', 'a <b> &lt;'],
  ['<https://x.example/a?b=1&amp;c=2>', 'https://x.example/a?b=1&c=2'],
  ['<https://x.example|x.example>', 'https://x.example'],
  ['<mailto:a@x.example|a@x.example>', 'a@x.example'],
  ['<tel:+123|123>', '+123'],
  ['<@U0BOB> and <#C0OPS|ops>', '@U0BOB and #ops'],
  ['<!here|here> <!channel>', 'here !channel'],
])('input of %j is read as %j', (sent, typed) => {
  expect(decodeTypedText(sent)).toBe(typed);
});
