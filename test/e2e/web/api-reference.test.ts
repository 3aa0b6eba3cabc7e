import type { Page } from 'playwright-core';
import { buildOpenApiDocument } from '#contract/openapi/document';
import { OPERATIONS } from '#contract/operations/table';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { expectReadableColours } from '#test/support/web/accessibility';
import { type BrowserPages, openBrowserPages } from '#test/support/web/browser';

describe('the API reference', () => {
  let parley: TestParley;
  let pages: BrowserPages;
  beforeAll(async () => {
    [parley, pages] = await Promise.all([startParley({ startsWorker: false }), openBrowserPages()]);
  });
  afterEach(() => {
    expect(pages.errors().splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await pages.close();
    await parley.stop();
  });

  /** Opens the page and collects every URL it requests. A blocked request counts as a page error. */
  async function openReference(colorScheme: 'light' | 'dark'): Promise<{ page: Page; requested: string[] }> {
    const page = await pages.open('about:blank', { colorScheme });
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
        console.error(`blocked by ${effectiveDirective}: ${blockedURI}`),
      );
    });
    await page.goto(`${parley.url}/docs`);
    await page.getByRole('heading', { name: 'Start in one minute' }).waitFor();
    return { page, requested };
  }

  const backgroundOf = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

  it.each([
    ['light', 'rgb(247, 246, 243)'],
    ['dark', 'rgb(18, 20, 19)'],
  ] as const)("has the app's %s colors, and requests nothing from other sites", async (scheme, background) => {
    const { page, requested } = await openReference(scheme);
    await page.locator('#operation\\/startConversation').getByRole('button', { name: /^400/ }).click();
    await page.getByText('unknown_agent').first().waitFor();
    expect(await backgroundOf(page)).toBe(background);
    await expectReadableColours(page);
    expect(requested.filter((address) => !address.startsWith(`${parley.url}/`) && address !== 'data:,')).toEqual([]);
    expect(requested).toContain(`${parley.url}/openapi.json`);
  });

  it('follows the system from light to dark', async () => {
    const { page } = await openReference('light');
    const reloaded = page.waitForEvent('load');
    await page.emulateMedia({ colorScheme: 'dark' });
    await reloaded;
    expect(await backgroundOf(page)).toBe('rgb(18, 20, 19)');
  });

  it('has every operation, every schema, and a link back to the app', async () => {
    const { page } = await openReference('light');
    const ids = await page.locator('[id^="operation/"]').evaluateAll((all) => all.map(({ id }) => id));
    expect(ids.sort()).toEqual(
      Object.keys(OPERATIONS)
        .map((id) => `operation/${id}`)
        .sort(),
    );
    const { schemas } = buildOpenApiDocument(parley.url).components as { schemas: object };
    const shown = await page.locator('[id^="schema/"]').evaluateAll((all) => all.map(({ id }) => id.slice(7)));
    expect(shown.sort()).toEqual(Object.keys(schemas).sort());
    expect(await page.getByRole('link', { name: 'OpenAPI document' }).getAttribute('href')).toBe('/openapi.json');
    await page.getByRole('link', { name: 'Parley', exact: false }).first().click();
    await page.waitForURL(`${parley.url}/`);
  });

  it('loads nothing but its own files', async () => {
    const { headers } = await fetch(`${parley.url}/docs`);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).not.toMatch(/unsafe-|\*|https?:|blob:|strict-dynamic/);
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-/);
    expect(policy).toContain("connect-src 'self'");
  });
});
