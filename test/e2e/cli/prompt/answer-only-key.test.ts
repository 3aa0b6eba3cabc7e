import { createPromptFixture, type PromptFixture } from '#test/support/cli/prompt-fixture';
import { replyWithQuestion } from '#test/support/scripted-model';

let stage: PromptFixture;
beforeAll(async () => {
  stage = await createPromptFixture({
    keys: {
      ann: ['conversations:write', 'conversations:read', 'questions:answer'],
      bob: ['questions:answer'],
    },
  });
});
afterEach(() => stage.closeScreens());
afterAll(() => stage.parley.stop());

const as = (name: string) => ({ env: { PARLEY_API_KEY: stage.parley.key(name) } });

describe('a question on the screen of a key that may only answer', () => {
  it('gives way when somebody else settles it', async () => {
    const id = await stage.asks(replyWithQuestion('What is it called?'), { assignees: ['bob'] });
    const screen = await stage.answering(id, as('bob'));
    await stage.parley.answer(id, { answer: 'Nellie' });
    await screen.until('Nothing was sent from here');
    expect(await screen.ended()).toBe(5);
  });
});
