import { z } from 'zod';
import { Audience } from './permissions';
import { FiniteDuration } from './time';

/** Where a notification goes: `channel` or `channel:target`. Which channels and targets there are is checked against the registry of channels. */
const Destination = z.string('write where to tell somebody, as in slack:#ops').max(300);

export const NotifyTargets = z
  .array(Destination, 'must be a list, as in [slack:#ops]')
  .max(10)
  .refine((targets) => new Set(targets).size === targets.length, 'names the same place twice')
  .describe(
    'Where to tell that something waits: `inbox`, `log`, `webhook` (the callback URL), `slack:#ops`, `slack:@maria`, ' +
      '`email:ops@example.com`. It lets nobody answer who may not otherwise.',
  );

/** Counted from the moment the question is asked. */
export const ReminderSchedule = z
  .array(FiniteDuration)
  .max(20)
  .describe('After how long to bring a question that is still open to mind again, as in 4h, 1d.');

/** From then on these may see the conversation and answer, too. */
export const Escalation = z.strictObject({
  after: FiniteDuration,
  to: z.preprocess((to) => (typeof to === 'string' ? [to] : to), Audience.min(1)),
  notify: NotifyTargets.optional(),
});
export type Escalation = z.infer<typeof Escalation>;

export const CallbackUrl = z
  .url({ protocol: /^https?$/, error: 'write a web address, with http:// or https://' })
  .max(2_048)
  .describe(
    'Where to tell what happens, by signed webhooks (Standard Webhooks 1.0): each question, its outcome, and the end. ' +
      'https only, and a host on the public internet unless the operator allows it.',
  );
