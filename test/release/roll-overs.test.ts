import { eagerServer, proveRollOvers } from '#test/support/proofs/roll-overs';

const addressOf = eagerServer();

describe.each([
  ['', undefined],
  [' with a workflow cache of 0', 0],
])('500 roll-overs while people act%s', (_which, maxCachedWorkflows) =>
  proveRollOvers(addressOf, 500, maxCachedWorkflows),
);
