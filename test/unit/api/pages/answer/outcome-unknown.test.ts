import type { ApiError } from '#api/middleware/errors';
import { unavailablePage } from '#api/pages/answer/error-pages';
import type { LinkHolder } from '#api/pages/answer/link-session';
import { submitForm } from '#api/pages/answer/submit-form';
import { createUnresponsiveDeps, UNSCOPED_MARIA } from '#test/support/api/unresponsive-api';
import { slackQuestion } from '#test/support/slack/slack-samples';

it('an answer that may have arrived is not shown as lost, and can be sent again unchanged', async () => {
  const question = slackQuestion();
  const holder = { token: 't', by: 'maria', caller: UNSCOPED_MARIA, question } as unknown as LinkHolder;
  const submitted = new URLSearchParams({ q1: 'Blue' });
  const error = await submitForm(createUnresponsiveDeps(question), holder, submitted).catch(
    (caught: ApiError) => caught,
  );
  const { status, body } = unavailablePage(error as ApiError, submitted);
  expect([status, String(body)]).toEqual([
    503,
    expect.stringContaining('re not sure your answer arrived. Send it again'),
  ]);
  expect(String(body)).not.toContain('nothing was accepted');
  expect(String(body)).toContain('name="q1" value="Blue"');
});
