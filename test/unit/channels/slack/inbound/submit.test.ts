import type { Caller } from '#api/caller';
import { submitSlackAnswer } from '#channels/slack/inbound/submit';
import { deaf, MARIA } from '#test/support/api/deaf';
import { slackQuestion } from '#test/support/slack/slack-samples';

it('what Temporal may have taken is not said in Slack to be lost', async () => {
  const { id, conversationId: conversation, askedAt, ...rest } = slackQuestion();
  const asked = { ...rest, id, conversationId: conversation, askedAt };
  const deed = { conversation, question: id, askedAt, say: () => ({ answer: 'Blue' }) };
  expect(await submitSlackAnswer(deaf(asked), MARIA as unknown as Caller, deed)).toEqual({
    kind: 'trouble',
    words: expect.stringMatching(/may have been taken, or not\. Do it again: it counts once\.$/),
    isDown: true,
  });
});
