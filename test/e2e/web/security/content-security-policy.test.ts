import type { Page } from 'playwright-core';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { type BrowserPages, openBrowserPages } from '#test/support/web/browser';

/** The allowed sources of each directive. */
function parsePolicy(policy: string): Record<string, string[]> {
  return Object.fromEntries(
    policy.split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );
}

describe('the content security policy', () => {
  let parley: TestParley;
  let pages: BrowserPages;
  let page: Page;
  beforeAll(async () => {
    [parley, pages] = await Promise.all([startParley({ startsWorker: false }), openBrowserPages()]);
    page = await pages.open(parley.url);
    await page.locator('main h1').first().waitFor();
  });
  afterAll(async () => {
    await pages.close();
    await parley.stop();
  });

  it.each(['/', '/new', '/conversations', '/conversations/x', '/questions/x/y'])(
    'of %s allows nothing but its own files',
    async (path) => {
      const { headers } = await fetch(`${parley.url}${path}`);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).not.toMatch(/unsafe-|\*|https?:|blob:|filesystem:|strict-dynamic/);
      expect(parsePolicy(policy)).toMatchObject({
        'default-src': ["'none'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'connect-src': ["'self'"],
        'base-uri': ["'none'"],
        'form-action': ["'none'"],
        'frame-ancestors': ["'none'"],
        'require-trusted-types-for': ["'script'"],
      });
    },
  );

  /** Makes the attempt in the page and returns the directive that blocked it. */
  const blockingDirective = (attempt: string): Promise<string> =>
    page.evaluate(async (attemptName) => {
      const violation = new Promise<string>((resolve) => {
        addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), {
          once: true,
        });
      });
      Object.assign(window, { hasRun: false });
      const attempts: Record<string, () => unknown> = {
        script: () => Object.assign(document.createElement('script'), { text: 'hasRun = true' }),
        source: () => Object.assign(document.createElement('script'), { src: '/theme.js' }),
        markup: () =>
          Object.assign(document.createElement('div'), { innerHTML: '<img src=x onerror="hasRun = true">' }),
        write: () => document.write('<p>Written'),
        timer: () => setTimeout('hasRun = true'),
        handler: () => {
          document.body.setAttribute('onclick', 'hasRun = true');
          document.body.click();
        },
        style: () => document.body.setAttribute('style', 'color: red'),
        image: () => Object.assign(new Image(), { src: 'http://evil.example/x.png' }),
        request: () => fetch('http://evil.example/x').catch(() => undefined),
        frame: () =>
          document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://evil.example/' })),
        base: () =>
          document.head.append(Object.assign(document.createElement('base'), { href: 'http://evil.example/' })),
        form: () => {
          const form = Object.assign(document.createElement('form'), {
            action: '/v1/session',
            method: 'post',
          });
          document.body.append(form);
          form.submit();
        },
        worker: () => new Worker(URL.createObjectURL(new Blob(['1']))),
      };
      try {
        await attempts[attemptName]?.();
      } catch {
        // Blocked with an exception; the event names the directive.
      }
      const directive = await violation;
      return (window as unknown as { hasRun: boolean }).hasRun ? 'it ran' : directive;
    }, attempt);

  it.each([
    ['script', 'require-trusted-types-for'],
    ['source', 'require-trusted-types-for'],
    ['markup', 'require-trusted-types-for'],
    ['write', 'require-trusted-types-for'],
    ['timer', 'require-trusted-types-for'],
    ['handler', 'require-trusted-types-for'],
    ['style', 'style-src-attr'],
    ['image', 'img-src'],
    ['request', 'connect-src'],
    ['frame', 'frame-src'],
    ['base', 'base-uri'],
    ['form', 'form-action'],
    ['worker', 'require-trusted-types-for'],
  ])('blocks a %s: %s', async (attempt, directive) => {
    expect(await blockingDirective(attempt)).toBe(directive);
  });
});
