import { createSecretRedactor } from '#tools/interpolate-variables';

describe('the values of variables in a result', () => {
  const hide = createSecretRedactor([`Bearer \${TOKEN}`, `\${PART} \${STAGE} \${QUOTED} \${UNSET}`], {
    TOKEN: 'abcdef-123456',
    PART: 'abcdef',
    STAGE: 'test',
    QUOTED: 'say "please"',
    OTHER: 'not-named',
  });

  it.each([
    ['are taken out', 'got abcdef-123456.', 'got [hidden].'],
    ['are taken out as a whole where one is part of another', 'abcdef-123456 abcdef', '[hidden] [hidden]'],
    ['are taken out as JSON has them', '{"a":"say \\"please\\""}', '{"a":"[hidden]"}'],
    ['stay where they are too short to be secrets', 'a test', 'a test'],
    ['stay where no text names them', 'not-named', 'not-named'],
  ])('%s', (_what, text, shown) => {
    expect(hide(text)).toBe(shown);
  });
});
