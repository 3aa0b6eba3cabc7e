import type { Field, Question, Value } from '../contract/question';

/** A value as people write it. */
export function valueText(value: Value | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(valueText).join(', ');
  return typeof value === 'object' ? value.other : String(value);
}

const CHANNELS: Record<string, string> = {
  web: 'in the web app',
  http: 'over HTTP',
  terminal: 'in the terminal',
  temporal: 'from Temporal',
  slack: 'in Slack',
  email: 'by e-mail',
  link: 'by a link',
};

export function channelText(via: string | undefined): string {
  return via === undefined ? '' : (CHANNELS[via] ?? `by ${via}`);
}

const PLACES: Record<string, string> = {
  inbox: 'Inbox',
  log: 'Log',
  webhook: 'Webhook',
  slack: 'Slack',
  email: 'E-mail to',
};

/** Where a notice went: `slack:#ops` is `Slack #ops`. */
export function placeText(destination: string): string {
  const [channel = '', ...place] = destination.split(':');
  return [PLACES[channel] ?? channel, place.join(':')].filter(Boolean).join(' ');
}

/** How it ended, in one sentence: who and by what way. When is for the clock to tell. */
export function outcomeText({ status, outcome }: Pick<Question, 'status' | 'outcome'>): string {
  const by = outcome?.by ? ` by ${outcome.by}` : '';
  const way = channelText(outcome?.via);
  const how = [by, way && ` ${way}`].join('');
  switch (status) {
    case 'answered':
      return `Answered${how}`;
    case 'declined':
      return `Declined${how}`;
    case 'timed_out':
      return outcome?.defaulted
        ? 'Nobody answered in time: the default was taken'
        : 'Nobody answered in time';
    case 'cancelled':
      return `No longer needed: the conversation was ended${by}`;
    case 'pending':
      return 'Waiting for an answer';
  }
}

/** What the question comes down to, on one line. */
export function headline({ fields }: { fields: readonly Pick<Field, 'question'>[] }): string {
  const [first, ...more] = fields;
  return (first?.question ?? 'A question') + (more.length > 0 ? ` (and ${more.length} more)` : '');
}

/** From whom: the agent, and for whom it works. */
export function lineageText(origin: readonly string[]): string {
  return origin.join(' › ');
}
