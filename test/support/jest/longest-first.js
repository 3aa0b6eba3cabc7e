const Sequencer = require('@jest/test-sequencer').default;

/**
 * Each takes half a minute or more, most of it waiting: begun last, one alone would keep the whole run waiting. Those that
 * work the most stand between those that wait.
 */
const LONGEST = [
  'chaos/short',
  'process/upgrade',
  'deploy/lambda',
  'workflows/history',
  'api/no-worker',
  'api/slack/outages',
  'api/races',
  'cli/json',
  'workflows/two-builds',
  'workflows/roll-overs',
  'workflows/model',
  'workflows/outreach',
  'workflows/flat-history',
  'workflows/compaction',
  'api/live/inbox',
  'api/idempotency',
  'api/email',
  'workflows/delegation',
  'api/live/no-worker',
  'channels/webhook/three-days',
  'channels/webhook/killed',
  'temporal/local-server',
  'process/start',
  'web/accessibility',
  'web/many-questions',
  'web/answer-page',
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
