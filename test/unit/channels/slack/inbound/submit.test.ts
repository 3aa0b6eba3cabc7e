import { createInboundDeps } from '#api/services/inbound-answers';
import { type SlackInboundDeps, submitSlackAnswer } from '#channels/slack/inbound/submit';
import { createUnresponsiveDeps } from '#test/support/api/unresponsive-api';
import { slackQuestion } from '#test/support/slack/slack-samples';

it('an answer that Temporal may have accepted is not reported as lost in Slack', async () => {
  const question = slackQuestion();
  const { id, conversationId: conversation, askedAt } = question;
  const submission = { conversation, question: id, askedAt, toAnswer: () => ({ answer: 'Blue' }) };
  const inbound = createInboundDeps(createUnresponsiveDeps(question));
  const deps = { inbound, resolvePerson: async () => 'maria' } as unknown as SlackInboundDeps;
  expect(await submitSlackAnswer(deps, { team: 'T', user: 'U' }, submission)).toMatchObject({
    status: 'outcomeUnknown',
    detail: expect.stringMatching(/^We're not sure your answer arrived\. Send it again; it only counts once\.$/),
  });
});
