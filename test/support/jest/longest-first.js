const Sequencer = require('@jest/test-sequencer').default;

/** Each takes 15 seconds or more, most of it waiting: begun last, one alone would keep the whole run waiting. */
const LONGEST = [
  'deploy/lambda',
  'workflows/two-builds',
  'api/slack/outages',
  'web/accessibility',
  'chaos/short',
  'process/upgrade',
  'workflows/history',
  'process/crash',
  'temporal/local-server',
  'web/many-questions',
  'workflows/outreach',
  'cli/ask/trouble',
  'api/email',
  'process/start',
  'workflows/long-timeline',
  'workflows/roll-overs',
  'workflows/long-transcript',
  'cli/json',
  'web/answer-page',
  'api/live/conversation',
  'channels/everywhere',
  'api/temporal-down',
  'api/idempotency',
  'web/reach',
  'process/drain',
  'cli/inbox/inbox',
  'web/no-worker',
  'workflows/delegation',
  'api/answer-page/trouble',
  'cli/doctor',
  'web/network',
  'web/careful',
  'channels/email/conversation',
  'api/live/inbox',
  'api/live/no-worker',
  'api/encryption',
];

/** Where nothing is known of an earlier run, as on a fresh checkout, jest would go by the size of the files. */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = LONGEST.findIndex((name) => path.endsWith(`${name}.test.ts`));
      return found < 0 ? LONGEST.length : found;
    };
    return super.sort(tests).sort((a, b) => place(a) - place(b));
  }
};
