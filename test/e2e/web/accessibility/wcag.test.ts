import type { Page } from 'playwright-core';
import { expectAccessible, expectAccessibleInLightAndDark } from '#test/support/web/accessibility';
import { type ConversationStates, startEveryConversationState } from '#test/support/web/conversation-states';
import { createSignedInState } from '#test/support/web/web-fixture';

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };

interface PageState {
  path: (ids: ConversationStates['conversationIds']) => string;
  /** Matches once the state is shown. */
  readySelector: string;
  person?: 'ann' | 'carl' | 'nobody';
  prepare?: (page: Page) => Promise<unknown>;
}

const questionPath = (name: string) => (ids: ConversationStates['conversationIds']) =>
  `/questions/${ids[name]}/question-1`;
const conversationPath = (name: string) => (ids: ConversationStates['conversationIds']) =>
  `/conversations/${ids[name]}`;
const clickButton = (name: RegExp) => (page: Page) => page.getByRole('button', { name }).click();

const PAGE_STATES: Record<string, PageState> = {
  'the inbox with nothing in it': { path: () => '/', readySelector: 'text=all caught up', person: 'carl' },
  'the inbox with questions': { path: () => '/', readySelector: 'li a' },
  'the inbox where nothing fits the filter': {
    path: () => '/?search=nothing-of-the-kind',
    readySelector: 'text=No matching questions',
  },
  'a plain question': { path: questionPath('plain'), readySelector: 'form' },
  'a question of four fields': { path: questionPath('four'), readySelector: 'form' },
  'a question with faults': {
    path: questionPath('four'),
    readySelector: 'form',
    prepare: async (page) => {
      await page.locator('[data-send]').click();
      await page.locator('[data-invalid]').first().waitFor();
    },
  },
  'a confirmation': { path: questionPath('confirm'), readySelector: 'form' },
  'a confirmation of what is dangerous, about to be given': {
    path: questionPath('danger'),
    readySelector: 'form',
    prepare: (page) => page.getByRole('radio', { name: 'Yes, proceed' }).check(),
  },
  'a dialog to decline': { path: questionPath('plain'), readySelector: 'form', prepare: clickButton(/^Skip/) },
  'a comment being written': {
    path: questionPath('plain'),
    readySelector: 'form',
    prepare: (page) => page.getByText('Add a comment').click(),
  },
  'a settled question': { path: questionPath('settled'), readySelector: '[data-status=answered]' },
  'a question that is not there': {
    path: (ids) => `/questions/${ids.plain}/question-9`,
    readySelector: '[role=alert]',
  },
  'a conversation that asks': { path: conversationPath('four'), readySelector: 'form' },
  'a conversation with tools, a plan and Markdown': {
    path: conversationPath('tools'),
    readySelector: 'text=Completed',
    prepare: async (page) => {
      for (const summary of await page.locator('details summary:visible').all()) await summary.click();
    },
  },
  'a conversation being written': { path: conversationPath('write'), readySelector: 'h3 >> text=Findings' },
  'a conversation that failed': { path: conversationPath('fail'), readySelector: '[role=alert]' },
  'a conversation that is not there': { path: () => '/conversations/nobody', readySelector: '[role=alert]' },
  'all conversations': { path: () => '/conversations', readySelector: 'main *' },
  'a new conversation': { path: () => '/new', readySelector: 'main *' },
  'the help': { path: () => '/', readySelector: 'li a', prepare: (page) => page.keyboard.press('?') },
  'an address where nothing is': {
    path: () => '/nowhere/at/all',
    readySelector: 'text=Page not found',
  },
  'signing in': { path: () => '/', readySelector: '#root *', person: 'nobody' },
};

describe('accessibility rules hold for', () => {
  let states: ConversationStates;
  const pages: Partial<Record<NonNullable<PageState['person']>, Page>> = {};
  beforeAll(async () => {
    states = await startEveryConversationState();
    const { w: web } = states;
    pages.ann = await web.openPage('/');
    pages.nobody = await web.pages.open('about:blank');
    pages.carl = await web.pages.open('about:blank', { storageState: await createSignedInState(web, 'carl') });
  });
  afterAll(() => states.stop());

  async function openState({ path, readySelector, person = 'ann', prepare }: PageState): Promise<Page> {
    const page = pages[person] as Page;
    await page.setViewportSize(WIDE);
    await page.goto(`${states.w.url}${path(states.conversationIds)}`);
    await page.locator(readySelector).locator('visible=true').first().waitFor();
    await prepare?.(page);
    return page;
  }

  it.each(Object.entries(PAGE_STATES))('%s, wide and on a phone, light and dark', async (_what, state) => {
    const page = await openState(state);
    await expectAccessibleInLightAndDark(page);
    await page.setViewportSize(PHONE);
    // The content is beside the list on a wide screen, and replaces it on a phone.
    await page.locator(state.readySelector).locator('visible=true').first().waitFor();
    await expectAccessibleInLightAndDark(page);
  });

  it.each(['light', 'dark'] as const)('a theme chosen against the system setting: %s', async (theme) => {
    const page = await openState(PAGE_STATES['a question of four fields'] as PageState);
    await page.emulateMedia({ colorScheme: theme === 'light' ? 'dark' : 'light' });
    await page.locator(':root').evaluate((root, name) => root.setAttribute('data-theme', name), theme);
    await expectAccessible(page);
  });

  it('a question that someone else answered while the user was typing', async () => {
    const { w: web } = states;
    const id = await web.startConversation('plain');
    await web.waitForQuestion(id);
    const page = await openState({ path: () => `/questions/${id}/question-1`, readySelector: 'form' });
    await page.getByRole('textbox', { name: 'What shall the team be called?' }).fill('The Unsent');
    await web.answer(id, { answer: 'The Quicker' });
    await page.getByText('Your unsent draft').waitFor();
    await expectAccessible(page);
  });

  it('forced colors', async () => {
    const page = await openState(PAGE_STATES['a question with faults'] as PageState);
    await page.emulateMedia({ forcedColors: 'active' });
    await expectAccessible(page);
    await page.emulateMedia({ forcedColors: 'none' });
  });
});
