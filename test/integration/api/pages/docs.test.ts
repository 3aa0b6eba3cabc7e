import { createHash } from 'node:crypto';
import { renderDocsPage } from '#api/pages/docs/page';
import { buildOpenApiDocument } from '#contract/openapi/document';
import { OPERATIONS } from '#contract/operations/table';
import { PROBLEMS } from '#contract/problem';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

const document = buildOpenApiDocument('https://parley.example.com');
const page = renderDocsPage(document);
const { schemas } = document.components as { schemas: Record<string, object> };

interface Tag {
  name: string;
  isEnd: boolean;
  attributes: Record<string, string>;
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:\s+[\w-]+(?:="[^"<>]*")?)*)\s*(?:\/>|>)/gi;

/** The tags of a page. Whatever else has an angle bracket in it is not HTML as we write it. */
function tagsOf(text: string): Tag[] {
  const markup = text.replace(/^<!doctype html>/, '').replace(/<style>[\s\S]*?<\/style>/, '');
  expect(markup.replace(TAG, '')).not.toMatch(/[<>]/);
  return [...markup.matchAll(TAG)].map(([, slash, name = '', attributes = '']) => ({
    name,
    isEnd: slash === '/',
    attributes: Object.fromEntries(
      [...attributes.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, key, value = '']) => [key, value]),
    ),
  }));
}

const tags = tagsOf(page);
const ids = tags.flatMap(({ attributes }) => attributes.id ?? []);
const links = tags.flatMap(({ attributes }) => attributes.href ?? []);

describe('the documentation', () => {
  it.each(Object.entries(OPERATIONS))('has %s, with a link to it', (id, { method, path, summary }) => {
    expect(ids).toContain(id);
    expect(links).toContain(`#${id}`);
    const section = page.slice(page.indexOf(`<section class="row call" id="${id}"`)).split('</section>')[0];
    expect(section?.replace(/<wbr>/g, '')).toContain(`<code>${path}</code>`);
    expect(section).toContain(`class="method ${method}"`);
    expect(section).toContain(summary);
  });

  it.each(Object.keys(schemas))('has the schema %s, with a link to it', (name) => {
    expect(ids).toContain(`schema-${name}`);
    expect(links).toContain(`#schema-${name}`);
  });

  it('has every code a problem can have', () => {
    for (const [code, [status, title]] of Object.entries(PROBLEMS)) {
      const row = page.slice(page.indexOf(`<tr id="error-${code}"`)).split('</tr>')[0];
      expect(row).toContain(title);
      expect(row).toContain(String(status));
    }
  });

  it('says which scope each call needs', () => {
    const answerSection = page.slice(page.indexOf('id="answerQuestion"')).split('</section>')[0];
    expect(answerSection).toContain('<code>questions:answer</code>');
    expect(answerSection).not.toContain('<code>conversations:read</code>');
  });

  const exampleRequestOf = (id: string) => {
    const section = page.slice(page.indexOf(`<section class="row call" id="${id}"`)).split('</section>')[0];
    return (/<pre[^>]*>([\s\S]*?)<\/pre>/.exec(section ?? '')?.[1] ?? '').replace(/<[^>]*>/g, '');
  };

  it('does not show a key beside the id that a start goes by', () => {
    expect(exampleRequestOf('startConversation')).toContain('&quot;id&quot;: &quot;offsite&quot;');
    expect(exampleRequestOf('startConversation')).not.toContain('Idempotency-Key');
    expect(exampleRequestOf('answerQuestion')).toContain('Idempotency-Key');
  });

  it('calls the hook of the agent that its guide shows how to make', () => {
    expect(exampleRequestOf('callHook')).toContain('/v1/hooks/intake ');
    expect(exampleRequestOf('getAgent')).toContain('/v1/agents/assistant ');
  });

  it('has no link that leads nowhere, and no name twice', () => {
    const brokenLinks = links.filter((link) => link.startsWith('#') && !ids.includes(link.slice(1)));
    expect(brokenLinks).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('opens and closes its tags in order', () => {
    const voidTags = new Set(['meta', 'link', 'wbr', 'col', 'path']);
    const openTags: string[] = [];
    for (const { name, isEnd } of tags) {
      if (isEnd) expect(openTags.pop()).toBe(name);
      else if (!voidTags.has(name)) openTags.push(name);
    }
    expect(openTags).toEqual([]);
  });

  it('has no script, no inline style, and loads nothing from elsewhere', () => {
    expect(tags.filter(({ name }) => ['script', 'iframe', 'img', 'object', 'form'].includes(name))).toEqual([]);
    const attributes = new Set(tags.flatMap(({ attributes }) => Object.keys(attributes)));
    expect([...attributes].filter((name) => /^(on\w+|style|src|srcset|action)$/.test(name))).toEqual([]);
    expect(links.filter((link) => !/^(#|\/openapi\.json$|data:image\/svg)/.test(link))).toEqual([]);
    expect(/<style>([\s\S]*?)<\/style>/.exec(page)?.[1]).not.toMatch(/url\(|@import/);
  });

  it('escapes whatever a document holds', () => {
    const hostile = `"'><script>alert(1)</script><b onclick='alert(2)'>\`<i>\` **<u>** &lt;`;
    const structure = ['type', 'in', '$ref'];
    const hostileDocument = JSON.parse(JSON.stringify(document), (key, value) =>
      typeof value === 'string' && !structure.includes(key) ? value + hostile : value,
    );
    hostileDocument.components.schemas[hostile] = { type: 'object', properties: { [hostile]: { type: 'string' } } };
    const rendered = renderDocsPage(hostileDocument);

    const namesIn = (all: Tag[]) => new Set(all.flatMap(({ name, attributes }) => [name, ...Object.keys(attributes)]));
    const known = namesIn([...tags, { name: 'strong', isEnd: false, attributes: {} }]);
    expect([...namesIn(tagsOf(rendered))].filter((name) => !known.has(name))).toEqual([]);
    expect(rendered).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(rendered).toContain('<code>&lt;i&gt;</code> <strong>&lt;u&gt;</strong> &amp;lt;');
  });
});

describe('the routes of the documentation', () => {
  let parleyWithKeys: TestParley;
  beforeAll(async () => {
    parleyWithKeys = await startParley({ startsWorker: false, keys: { maria: ['admin'] } });
  });
  afterAll(() => parleyWithKeys.stop());

  const get = (route: string, method = 'GET') => fetch(`${parleyWithKeys.url}${route}`, { method });

  it.each(['/docs', '/docs/'])(
    'shows the page at %s to anybody, under a policy that admits its one stylesheet',
    async (route) => {
      const response = await get(route);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);

      const text = await response.text();
      const [style, ...more] = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)];
      expect(more).toEqual([]);
      const hash = createHash('sha256')
        .update(style?.[1] ?? '')
        .digest('base64');
      expect(response.headers.get('content-security-policy')?.split('; ')).toEqual([
        "default-src 'none'",
        `style-src 'sha256-${hash}'`,
        'img-src data:',
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ]);
    },
  );

  it('shows the calls with the address they are to be sent to', async () => {
    expect(await (await get('/docs')).text()).toContain(`${parleyWithKeys.url}/v1/conversations`);
  });

  it('gives programs the same document', async () => {
    const response = await get('/openapi.json');
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(buildOpenApiDocument(parleyWithKeys.url))));
  });

  it.each(['/docs', '/openapi.json'])('answers HEAD for %s, and refuses other methods', async (route) => {
    const head = await get(route, 'HEAD');
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(10_000);
    expect(await head.text()).toBe('');

    const refused = await get(route, 'POST');
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET');
    expect(await refused.json()).toMatchObject({ code: 'method_not_allowed' });
  });
});
