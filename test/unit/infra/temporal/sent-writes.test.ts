import { hasNoReply } from '#infra/temporal/sent-writes';

it.each([
  ['timed out after it was sent', 4, 'Deadline exceeded after 5.001s,remote_addr=127.0.0.1:7233', true],
  ['timed out before there was a connection', 4, 'Deadline exceeded after 5.001s,Waiting for LB pick', false],
  ['timed out between attempts', 4, 'Deadline exceeded after 0.001s,waiting for metadata filters', false],
  ['lost its connection', 14, 'Connection dropped', true],
  ['found no connection', 14, 'No connection established. Last error: connect ECONNREFUSED', false],
  ['found no address', 14, 'Name resolution failed for target dns:temporal:7233', false],
  ['was cancelled', 1, 'Call cancelled', true],
  ['was refused for overload', 8, 'namespace rate limit exceeded', false],
])('an attempt that %s may have been accepted: %#', (_how, code, details, expected) => {
  expect(hasNoReply({ code, details })).toBe(expected);
});
