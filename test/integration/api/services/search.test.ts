import { matchesSearchTerms, parseSearchTerms } from '#api/services/list-conversations';
import { createParley } from '#client/parley';
import type { Conversation } from '#contract/conversation';
import type { Problem } from '#contract/problem';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithText } from '#test/support/scripted-model';

const conversation = {
  id: 'c-42',
  title: 'Plan our Offsite',
  agent: 'assistant',
  result: 'Booked: Łódź, 100%',
};
const isFound = (search: string, searched = conversation) => matchesSearchTerms(searched, parseSearchTerms(search));

describe('the search terms', () => {
  it.each(['offsite', 'PLAN', 'plan offsite', 'offsite   plan', 'c-42', 'ASSIST', 'booked plan', 'łódź', 'ŁÓDŹ', ''])(
    'are found: %j',
    (search) => expect(isFound(search)).toBe(true),
  );

  it.each(['onsite', 'plan onsite', 'offsiteassistant', 'Lodz', 'null'])('are not found: %j', (search) => {
    expect(isFound(search)).toBe(false);
  });

  it.each(['%', '_', "'", '"', '.*', '[a-z]', '(', '\\', '$&', '^c', '\u0000'])('are plain text: %j', (search) => {
    expect(isFound(search, { ...conversation, result: 'nothing' })).toBe(false);
    expect(isFound(search, { ...conversation, result: `so ${search} it is` })).toBe(true);
  });

  it.each([
    ['STRASSE', 'Straße'],
    ['straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'ΟΔΟΣΤΡΩΜΑ'],
    ['caf\u00e9', 'CAFE\u0301'],
    ['ПРИВЕТ', 'привет'],
    ['東京', '東京へ'],
  ])('are found in any case and form: %s in %s', (search, title) => {
    expect(isFound(search, { ...conversation, title })).toBe(true);
  });

  it('are not found in a missing result', () => {
    expect(matchesSearchTerms({ ...conversation, result: null }, parseSearchTerms('booked'))).toBe(false);
  });
});

describe('a search over HTTP', () => {
  type Page = { items: Conversation[]; nextCursor: string | null };
  const titles = ['Paint the fence', 'Order 100% rye', "Call O'Brien", 'Paint the gate', 'GRÜSSE an Łódź'];
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script: ({ body }) =>
        replyWithText(JSON.stringify(body.messages).includes('gate') ? 'It is Violet now.' : 'done'),
    });
    // One after the other, so that the list is in this order, newest first.
    for (const title of titles) await p.waitForStatus(await p.startConversation(title), 'completed');
    for (;;) if ((await search({ limit: '100', status: 'completed' })).items.length === titles.length) break;
  });
  afterAll(() => p.stop());

  const route = (query: Record<string, string>) =>
    `/v1/conversations?${new URLSearchParams({ agent: p.agent, ...query })}`;
  const search = async (query: Record<string, string>) => (await p.call<Page>('GET', route(query))).body;
  const findTitles = async (terms: string) =>
    (await search({ search: terms, limit: '100' })).items.map(({ title }) => title);

  it('matches title, result, agent and id, all words, in any case', async () => {
    expect(await findTitles('PAINT')).toEqual(['Paint the gate', 'Paint the fence']);
    expect(await findTitles('fence paint')).toEqual(['Paint the fence']);
    expect(await findTitles('violet')).toEqual(['Paint the gate']);
    expect(await findTitles(`${p.agent.toUpperCase()} rye`)).toEqual(['Order 100% rye']);
    expect(await findTitles('grüsse ŁÓDŹ')).toEqual(['GRÜSSE an Łódź']);
    const [{ id = '' } = {}] = (await search({ search: 'fence' })).items;
    expect(await findTitles(id)).toEqual(['Paint the fence']);
  });

  it('takes special characters literally', async () => {
    expect(await findTitles('%')).toEqual(['Order 100% rye']);
    expect(await findTitles("o'brien")).toEqual(["Call O'Brien"]);
    for (const term of ["' OR 1=1", '.*', '_', 'P?int', '[']) expect(await findTitles(term)).toEqual([]);
  });

  it('lists everything if the search is empty', async () => {
    for (const blank of ['', '   ']) expect(await findTitles(blank)).toHaveLength(titles.length);
  });

  it('continues over pages until one has a match, and by its cursor to the end', async () => {
    const first = await search({ search: 'paint', limit: '1' });
    expect(first.items.map(({ title }) => title)).toEqual(['Paint the gate']);
    const second = await search({ search: 'paint', limit: '1', cursor: first.nextCursor ?? '' });
    expect(second.items.map(({ title }) => title)).toEqual(['Paint the fence']);
    const none = await search({ search: 'nowhere', limit: '2' });
    expect(none).toEqual({ items: [], nextCursor: null });
  });

  it('respects the other filters', async () => {
    expect((await search({ search: 'paint', status: 'failed' })).items).toEqual([]);
    expect((await search({ search: 'paint', agent: 'assistant' })).items).toEqual([]);
  });

  it('has cursors that are valid for the same search only', async () => {
    const { nextCursor } = await search({ search: 'paint', limit: '1' });
    const again = { limit: '1', cursor: nextCursor ?? '' };
    expect((await p.call('GET', route({ ...again, search: ' PAINT ' }))).status).toBe(200);
    for (const other of [{ search: 'call' }, {}, { search: 'paint', status: 'completed' }]) {
      const refused = await p.call<Problem>('GET', route({ ...again, ...other } as Record<string, string>));
      expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'cursor']);
    }
    const unfiltered = await search({ limit: '1' });
    const otherSearch = await p.call(
      'GET',
      route({ limit: '1', cursor: unfiltered.nextCursor ?? '', search: 'paint' }),
    );
    expect(otherSearch.status).toBe(400);
  });

  it('is at most 200 characters long', async () => {
    expect((await p.call('GET', route({ search: 'x'.repeat(200) }))).status).toBe(200);
    const refused = await p.call<Problem>('GET', route({ search: 'x'.repeat(201) }));
    expect([refused.status, refused.body.errors?.[0]?.path]).toEqual([400, 'search']);
  });

  it('is available in the typed client, page by page', async () => {
    const client = createParley({ url: p.url });
    const { items } = await client.list({ agent: p.agent, search: 'rye 100%' });
    expect(items.map(({ title }) => title)).toEqual(['Order 100% rye']);
    const foundTitles: string[] = [];
    for await (const { title } of client.all({ agent: p.agent, search: 'the' })) foundTitles.push(title);
    expect(foundTitles).toEqual(['Paint the gate', 'Paint the fence']);
  });
});

describe('a search among many conversations', () => {
  it('stops after twenty pages without a match, and returns a cursor', async () => {
    const p = await startParley({ startsWorker: false });
    const ids = Array.from({ length: 23 }, (_, index) => `${p.agent}-${String(index).padStart(2, '0')}`);
    for (const id of ids) await p.startConversation('Hello', { id });
    type Page = { items: Conversation[]; nextCursor: string | null };
    const readPage = async (query: string) =>
      (await p.call<Page>('GET', `/v1/conversations?agent=${p.agent}&${query}`)).body;
    while ((await readPage('limit=100')).items.length < ids.length);
    const last = (await readPage('limit=100')).items.at(-1)?.id ?? '';
    const first = await readPage(`limit=1&search=${last}`);
    expect(first).toEqual({ items: [], nextCursor: expect.any(String) });
    const next = await readPage(`limit=1&search=${last}&cursor=${first.nextCursor}`);
    expect(next.items.map(({ id }) => id)).toEqual([last]);
    for (const id of ids) await p.client.workflow.getHandle(id).terminate();
    await p.stop();
  });
});
