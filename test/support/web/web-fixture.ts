import { randomBytes } from 'node:crypto';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { ModelRequest, ModelScript, ScriptedReply } from '#models/demo/reply';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithText } from '#test/support/scripted-model';
import { type BrowserPages, openBrowserPages } from './browser';

/**
 * The Temporal namespace of these tests. Elsewhere tests show questions to everybody, and those would stand in the inbox
 * of each person here. Nobody does that in this one, and people have names that no other file uses.
 */
const WEB_NAMESPACE = 'people';

/** A Parley with people in front of it. */
export interface WebFixture extends TestParley {
  pages: BrowserPages;
  /** Starts conversations and sits at the browser. */
  ann: string;
  /** Answers from elsewhere: may do everything. */
  bob: string;
  /** Opens a page in a browser context of its own, with a user signed in. */
  openPage(path: string, options?: BrowserContextOptions & { as?: string }): Promise<Page>;
  /** The tool results that the model received in the conversation with that first message, in order. */
  toolResultsFor(message: string): string[];
  /** After each test: closes its pages, then fails where one had a fault that nobody saw. */
  closePages(): Promise<void>;
  /** The same for all that is left, and stops everything. */
  stop(): Promise<void>;
}

export async function startWebFixture(settings: TestParleySettings = {}): Promise<WebFixture> {
  const suffix = randomBytes(4).toString('hex');
  const [ann, bob] = [`ann-${suffix}`, `bob-${suffix}`];
  const namespace: Record<string, string> = settings.address ? {} : { TEMPORAL_NAMESPACE: WEB_NAMESPACE };
  const p = await startParley({
    ...settings,
    env: { PARLEY_RATE_LIMIT: '10000', ...namespace, ...settings.env },
    keys: {
      [ann]: ['conversations:write', 'conversations:read', 'questions:answer'],
      [bob]: ['admin'],
      ...settings.keys,
    },
  });
  const pages = await openBrowserPages();
  const closePages = async () => {
    await pages.close();
    expect(pages.errors().splice(0)).toEqual([]);
  };
  return {
    ...p,
    pages,
    ann,
    bob,
    async openPage(path, { as = ann, ...options } = {}) {
      return pages.open(p.url + path, { storageState: await createSignedInState(p, as), ...options });
    },
    toolResultsFor: (message) =>
      p.model.requests
        .filter((request) => readFirstMessage(request) === message)
        .flatMap((request) => lastToolResults(request).map(({ text }) => text)),
    closePages,
    async stop() {
      await closePages().finally(p.stop);
    },
  };
}

/** The cookie that a key is swapped for. */
export async function createSignedInState(p: TestParley, name: string): Promise<{ cookies: Cookie[]; origins: [] }> {
  const { headers } = await p.callAs(name)('POST', '/v1/session');
  const value = /^parley_session=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
  const { hostname: domain } = new URL(p.url);
  const expires = Date.now() / 1_000 + 3_600;
  const more = { path: '/', expires, httpOnly: true, secure: false, sameSite: 'Strict' as const };
  return { cookies: [{ name: 'parley_session', value, domain, ...more }], origins: [] };
}

type Cookie = Exclude<NonNullable<BrowserContextOptions['storageState']>, string>['cookies'][number];

/** What the person said first. */
export function readFirstMessage({ body }: ModelRequest): string {
  const { content = '' } = body.messages[0] ?? {};
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Does what the first message asks for; told the result, says so. */
export function createReplyScript(replies: Record<string, ScriptedReply>): ModelScript {
  return (request) => {
    const [result] = lastToolResults(request);
    if (result) return replyWithText(`Heard ${result.text}`);
    const reply = replies[readFirstMessage(request)];
    if (!reply) throw new Error(`no reply to ${readFirstMessage(request)}`);
    return reply;
  };
}

/** The card of the question that is shown. */
export const locateQuestionCard = (page: Page): Locator => page.getByRole('article');

/** The rows of the inbox. */
export const locateInboxRows = (page: Page): Locator =>
  page.getByRole('list', { name: 'Questions that wait' }).getByRole('link');

export const locateInboxRow = (page: Page, id: string): Locator =>
  locateInboxRows(page).and(page.locator(`[href*="/${id}/"]`));
