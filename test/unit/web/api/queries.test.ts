import { exampleServerStatus } from '#contract/operations/examples';
import { describeDestination } from '#presentation/labels';
import { apiClient } from '../../../../web/api/client';
import { statusQuery } from '../../../../web/api/queries';

it('learns from the status how an added channel is called', async () => {
  expect(describeDestination('pager:4711')).toBe('Pager 4711');
  const status = { ...exampleServerStatus, channelLabels: { pager: 'Night Pager' } };
  jest.spyOn(apiClient, 'status').mockResolvedValue(status);
  await statusQuery.queryFn({ signal: new AbortController().signal });
  expect(describeDestination('pager:4711')).toBe('Night Pager 4711');
});
