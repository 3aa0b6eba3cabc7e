import { proveContinueAsNew, withEagerContinueAsNewServer } from '#test/support/proofs/continue-as-new';

const addressOf = withEagerContinueAsNewServer();

describe.each([
  ['', undefined],
  [' with a workflow cache of 0', 0],
])('500 runs while people act%s', (_which, maxCachedWorkflows) =>
  proveContinueAsNew(addressOf, 500, maxCachedWorkflows),
);
