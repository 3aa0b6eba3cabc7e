import { troublePage } from '#api/answer-page/refusal-pages';
import { send } from '#api/answer-page/sending';
import type { Guest } from '#api/answer-page/visit';
import type { Refusal } from '#api/errors';
import { deaf, MARIA } from '#test/support/api/deaf';
import { slackQuestion } from '#test/support/slack/slack-samples';

it('what Temporal may have taken is not said on the page to be lost, and is sent again as it was', async () => {
  const asked = slackQuestion();
  const guest = { token: 't', by: 'maria', caller: MARIA, question: asked } as unknown as Guest;
  const sent = new URLSearchParams({ q1: 'Blue' });
  const error = await send(deaf(asked), guest, sent).catch((one: Refusal) => one);
  const { status, body } = troublePage(error as Refusal, sent);
  expect([status, String(body)]).toEqual([503, expect.stringContaining('may have been taken, or not.')]);
  expect(String(body)).not.toContain('nothing was accepted');
  expect(String(body)).toContain('name="q1" value="Blue"');
});
