import { createInboundDeps } from '#api/services/inbound-answers';
import { submitSlackAnswer } from '#channels/slack/inbound/submit';
import { createUnresponsiveDeps } from '#test/support/api/unresponsive-api';
import { slackQuestion } from '#test/support/slack/slack-samples';

it('an answer that Temporal may have accepted is not reported as lost in Slack', async () => {
  const question = slackQuestion();
  const { id, conversationId: conversation, askedAt } = question;
  const submission = { conversation, question: id, askedAt, toAnswer: () => ({ answer: 'Blue' }) };
  expect(await submitSlackAnswer(createInboundDeps(createUnresponsiveDeps(question)), 'maria', submission)).toEqual({
    kind: 'error',
    message: expect.stringMatching(/^We're not sure your answer arrived\. Send it again; it only counts once\.$/),
    isUnavailable: true,
  });
});
