import type { Principal } from '#api/middleware/authentication';
import { submitSlackAnswer } from '#channels/slack/inbound/submit';
import { createUnresponsiveDeps, UNSCOPED_MARIA } from '#test/support/api/unresponsive-api';
import { slackQuestion } from '#test/support/slack/slack-samples';

it('what Temporal may have taken is not said in Slack to be lost', async () => {
  const { id, conversationId: conversation, askedAt, ...rest } = slackQuestion();
  const asked = { ...rest, id, conversationId: conversation, askedAt };
  const deed = { conversation, question: id, askedAt, say: () => ({ answer: 'Blue' }) };
  expect(await submitSlackAnswer(createUnresponsiveDeps(asked), UNSCOPED_MARIA as unknown as Principal, deed)).toEqual({
    kind: 'trouble',
    words: expect.stringMatching(/may have been taken, or not\. Do it again: it counts once\.$/),
    isDown: true,
  });
});
