import type { Page } from 'playwright-core';
import { expectAccessible, expectAccessibleInLightAndDark } from '#test/support/web/accessibility';
import { type ConversationStates, startEveryConversationState } from '#test/support/web/conversation-states';
import { createSignedInState } from '#test/support/web/web-fixture';

const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 800 };

interface State {
  path: (ids: ConversationStates['ids']) => string;
  /** What is there when it is shown. */
  sign: string;
  who?: 'ann' | 'carl' | 'nobody';
  act?: (page: Page) => Promise<unknown>;
}

const question = (word: string) => (ids: ConversationStates['ids']) => `/questions/${ids[word]}/question-1`;
const conversation = (word: string) => (ids: ConversationStates['ids']) => `/conversations/${ids[word]}`;
const press = (name: RegExp) => (page: Page) => page.getByRole('button', { name }).click();

const STATES: Record<string, State> = {
  'the inbox with nothing in it': { path: () => '/', sign: 'text=Nobody is waiting', who: 'carl' },
  'the inbox with questions': { path: () => '/', sign: 'li a' },
  'the inbox where nothing fits the filter': {
    path: () => '/?search=nothing-of-the-kind',
    sign: 'text=No question fits',
  },
  'a plain question': { path: question('plain'), sign: 'form' },
  'a question of four fields': { path: question('four'), sign: 'form' },
  'a question with faults': {
    path: question('four'),
    sign: 'form',
    act: async (page) => {
      await page.locator('[data-send]').click();
      await page.locator('[data-invalid]').first().waitFor();
    },
  },
  'a confirmation': { path: question('confirm'), sign: 'form' },
  'a confirmation of what is dangerous, about to be given': {
    path: question('danger'),
    sign: 'form',
    act: (page) => page.getByRole('radio', { name: 'Yes, proceed' }).check(),
  },
  'a dialog to decline': { path: question('plain'), sign: 'form', act: press(/^Decline/) },
  'a comment being written': {
    path: question('plain'),
    sign: 'form',
    act: (page) => page.getByText('Add a comment').click(),
  },
  'a settled question': { path: question('settled'), sign: '[data-status=answered]' },
  'a question that is not there': {
    path: (ids) => `/questions/${ids.plain}/question-9`,
    sign: '[role=alert]',
  },
  'a conversation that asks': { path: conversation('four'), sign: 'form' },
  'a conversation with tools, a plan and Markdown': {
    path: conversation('tools'),
    sign: 'text=Completed',
    act: async (page) => {
      for (const fold of await page.locator('details summary:visible').all()) await fold.click();
    },
  },
  'a conversation being written': { path: conversation('write'), sign: 'h3 >> text=Findings' },
  'a conversation that failed': { path: conversation('fail'), sign: '[role=alert]' },
  'a conversation that is not there': { path: () => '/conversations/nobody', sign: '[role=alert]' },
  'all conversations': { path: () => '/conversations', sign: 'main *' },
  'a new conversation': { path: () => '/new', sign: 'main *' },
  'the help': { path: () => '/', sign: 'li a', act: (page) => page.keyboard.press('?') },
  'an address where nothing is': {
    path: () => '/nowhere/at/all',
    sign: 'text=There is nothing at this address',
  },
  'signing in': { path: () => '/', sign: '#root *', who: 'nobody' },
};

describe('nobody is shut out by', () => {
  let stage: ConversationStates;
  const open: Partial<Record<NonNullable<State['who']>, Page>> = {};
  beforeAll(async () => {
    stage = await startEveryConversationState();
    const { w } = stage;
    open.ann = await w.visit('/');
    open.nobody = await w.pages.open('about:blank');
    open.carl = await w.pages.open('about:blank', { storageState: await createSignedInState(w, 'carl') });
  });
  afterAll(() => stage.stop());

  async function shown({ path, sign, who = 'ann', act }: State): Promise<Page> {
    const page = open[who] as Page;
    await page.setViewportSize(WIDE);
    await page.goto(`${stage.w.url}${path(stage.ids)}`);
    await page.locator(sign).locator('visible=true').first().waitFor();
    await act?.(page);
    return page;
  }

  it.each(Object.entries(STATES))('%s, wide and on a phone, light and dark', async (_what, state) => {
    const page = await shown(state);
    await expectAccessibleInLightAndDark(page);
    await page.setViewportSize(PHONE);
    // Some of it is beside the list where there is room, and instead of it where there is none.
    await page.locator(state.sign).locator('visible=true').first().waitFor();
    await expectAccessibleInLightAndDark(page);
  });

  it.each(['light', 'dark'] as const)('a theme chosen against the system: %s', async (theme) => {
    const page = await shown(STATES['a question of four fields'] as State);
    await page.emulateMedia({ colorScheme: theme === 'light' ? 'dark' : 'light' });
    await page.locator(':root').evaluate((root, name) => root.setAttribute('data-theme', name), theme);
    await expectAccessible(page);
  });

  it('a question that somebody else answered while one was typing', async () => {
    const { w } = stage;
    const id = await w.start('plain');
    await w.question(id);
    const page = await shown({ path: () => `/questions/${id}/question-1`, sign: 'form' });
    await page.getByRole('textbox', { name: 'What shall the team be called?' }).fill('The Unsent');
    await w.answer(id, { answer: 'The Quicker' });
    await page.getByText('What you had typed was not sent').waitFor();
    await expectAccessible(page);
  });

  it('colours of one’s own', async () => {
    const page = await shown(STATES['a question with faults'] as State);
    await page.emulateMedia({ forcedColors: 'active' });
    await expectAccessible(page);
    await page.emulateMedia({ forcedColors: 'none' });
  });
});
