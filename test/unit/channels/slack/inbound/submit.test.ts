import type { Principal } from '#api/middleware/authentication';
import { submitSlackAnswer } from '#channels/slack/inbound/submit';
import { createUnresponsiveDeps, UNSCOPED_MARIA } from '#test/support/api/unresponsive-api';
import { slackQuestion } from '#test/support/slack/slack-samples';

it('what Temporal may have taken is not said in Slack to be lost', async () => {
  const { id, conversationId: conversation, askedAt, ...rest } = slackQuestion();
  const question = { ...rest, id, conversationId: conversation, askedAt };
  const submission = { conversation, question: id, askedAt, toAnswer: () => ({ answer: 'Blue' }) };
  expect(
    await submitSlackAnswer(createUnresponsiveDeps(question), UNSCOPED_MARIA as unknown as Principal, submission),
  ).toEqual({
    kind: 'error',
    message: expect.stringMatching(/may have been taken, or not\. Do it again: it counts once\.$/),
    isUnavailable: true,
  });
});
