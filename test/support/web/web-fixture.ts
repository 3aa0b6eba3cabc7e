import { randomBytes } from 'node:crypto';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { ModelRequest, ModelScript, ScriptedReply } from '#models/demo/reply';
import { startParley, type TestParley, type TestParleySettings } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithText } from '#test/support/scripted-model';
import { type BrowserPages, openBrowserPages } from './browser';

/**
 * The Temporal namespace of these tests. In the default namespace other tests show questions to everyone, which would
 * appear in these users' inboxes. No test does that here, and user names are unique to each file.
 */
const WEB_NAMESPACE = 'people';

/** A Parley with users and a browser. */
export interface WebFixture extends TestParley {
  pages: BrowserPages;
  /** User who starts conversations and uses the browser. */
  ann: string;
  /** User with the admin scope, who answers from elsewhere. */
  bob: string;
  /** Opens a page in its own browser context, with a user signed in. */
  openPage(path: string, options?: BrowserContextOptions & { as?: string }): Promise<Page>;
  /** The tool results that the model received in the conversation with that first message, in order. */
  toolResultsFor(message: string): string[];
  /** Closes the pages, then fails if any had an error. Call it after each test. */
  closePages(): Promise<void>;
  /** The same, then stops everything. */
  stop(): Promise<void>;
}

export async function startWebFixture(settings: TestParleySettings = {}): Promise<WebFixture> {
  const suffix = randomBytes(4).toString('hex');
  const [ann, bob] = [`ann-${suffix}`, `bob-${suffix}`];
  const namespace: Record<string, string> = settings.address ? {} : { TEMPORAL_NAMESPACE: WEB_NAMESPACE };
  const p = await startParley({
    ...settings,
    env: { ...namespace, ...settings.env },
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

/** Signs in with an API key and returns the session cookie. */
export async function createSignedInState(p: TestParley, name: string): Promise<{ cookies: Cookie[]; origins: [] }> {
  const { headers } = await p.callAs(name)('POST', '/v1/session');
  const value = /^parley_session=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
  const { hostname: domain } = new URL(p.url);
  const expires = Date.now() / 1_000 + 3_600;
  const more = { path: '/', expires, httpOnly: true, secure: false, sameSite: 'Strict' as const };
  return { cookies: [{ name: 'parley_session', value, domain, ...more }], origins: [] };
}

type Cookie = Exclude<NonNullable<BrowserContextOptions['storageState']>, string>['cookies'][number];

/** Returns the first user message. */
export function readFirstMessage({ body }: ModelRequest): string {
  const { content = '' } = body.messages[0] ?? {};
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
}

/** Replies by the first user message, then echoes the tool result. */
export function createReplyScript(replies: Record<string, ScriptedReply>): ModelScript {
  return (request) => {
    const [result] = lastToolResults(request);
    if (result) return replyWithText(`Heard ${result.text}`);
    const reply = replies[readFirstMessage(request)];
    if (!reply) throw new Error(`no reply to ${readFirstMessage(request)}`);
    return reply;
  };
}

/** Returns the card of the visible question. */
export const locateQuestionCard = (page: Page): Locator => page.getByRole('article');

/** Returns the rows of the inbox. */
export const locateInboxRows = (page: Page): Locator =>
  page.getByRole('list', { name: 'Open questions' }).getByRole('link');

export const locateInboxRow = (page: Page, id: string): Locator =>
  locateInboxRows(page).and(page.locator(`[href*="/${id}/"]`));
