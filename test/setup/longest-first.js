const Sequencer = require('@jest/test-sequencer').default;

/** Each takes half a minute or more, most of it waiting: begun last, one alone would keep the whole run waiting. */
const LONGEST = [
  'chaos/short',
  'api/races',
  'workflows/history',
  'workflows/model',
  'workflows/outreach',
  'api/live/inbox',
  'api/slack/outages',
  'api/idempotency',
  'api/email',
  'workflows/delegation',
  'api/live/no-worker',
  'channels/webhook/three-days',
  'channels/webhook/killed',
  'temporal/local-server',
  'api/no-worker',
  'process/start',
  'web/accessibility',
  'web/many-questions',
  'web/answer-page',
];

/** Where nothing is known of an earlier run, as on a fresh checkout, jest would go by the size of the files. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = LONGEST.findIndex((name) => path.endsWith(`test/${name}.test.ts`));
      return found < 0 ? LONGEST.length : found;
    };
    return super.sort(tests).sort((a, b) => place(a) - place(b));
  }
};
