import { z } from 'zod';
import { Audience } from './permissions';
import { FiniteDuration } from './time';

/** Where a notification goes: `channel` or `channel:target`. Which channels and targets there are is checked against the registry of channels. */
const Destination = z.string('must be a destination, such as slack:#ops').max(300);

export const NotifyTargets = z
  .array(Destination, 'must be a list, such as [slack:#ops]')
  .max(10)
  .refine((targets) => new Set(targets).size === targets.length, 'lists a destination twice')
  .describe(
    'Where to send notifications: `inbox`, `log`, `webhook` (the callback URL), `slack:#ops`, `slack:@maria`, ' +
      '`email:ops@example.com`. Does not grant permission to answer.',
  );

/** Counted from the moment the question is asked. */
export const ReminderSchedule = z
  .array(FiniteDuration)
  .max(20)
  .describe('When to send reminders of an open question, such as 4h, 1d.');

/** After this time, these people can also see the conversation and answer. */
export const Escalation = z.strictObject({
  after: FiniteDuration,
  to: z.preprocess((to) => (typeof to === 'string' ? [to] : to), Audience.min(1)),
  notify: NotifyTargets.optional(),
});
export type Escalation = z.infer<typeof Escalation>;

export const CallbackUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL that starts with http:// or https://' })
  .max(2_048)
  .describe(
    'Receives signed webhooks (Standard Webhooks 1.0) for each question, its outcome, and the end of the conversation. ' +
      'Must be https and on the public internet, unless your administrator allows other hosts.',
  );
