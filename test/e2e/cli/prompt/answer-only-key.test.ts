import { createPromptFixture, type PromptFixture } from '#test/support/cli/prompt-fixture';
import { replyWithQuestion } from '#test/support/scripted-model';

let fixture: PromptFixture;
beforeAll(async () => {
  fixture = await createPromptFixture({
    keys: {
      ann: ['conversations:write', 'conversations:read', 'questions:answer'],
      bob: ['questions:answer'],
    },
  });
});
afterEach(() => fixture.closeScreens());
afterAll(() => fixture.parley.stop());

const withKey = (name: string) => ({ env: { PARLEY_API_KEY: fixture.parley.apiKey(name) } });

describe('a question prompt with a key that may only answer', () => {
  it('closes when someone else answers', async () => {
    const id = await fixture.startAndWaitForQuestion(replyWithQuestion('What is it called?'), { assignees: ['bob'] });
    const screen = await fixture.openAnswerPrompt(id, withKey('bob'));
    await fixture.parley.answer(id, { answer: 'Nellie' });
    await screen.waitFor('Nothing was sent from here');
    expect(await screen.waitForExit()).toBe(5);
  });
});
