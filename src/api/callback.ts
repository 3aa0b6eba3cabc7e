import { findCallbackUrlIssue } from '#channels/webhook/allowed-receivers';
import type { Agent } from '#contract/agent';
import type { Context } from './context';
import { Refusal } from './errors';

/** Where the conversation is told of, as the start or else the agent says. What could never be delivered is refused now, while there is somebody to tell. */
export async function callbackOf(
  { network }: Pick<Context, 'network'>,
  agent: Pick<Agent, 'name' | 'callbackUrl'>,
  said?: string,
): Promise<string | undefined> {
  const callbackUrl = said ?? agent.callbackUrl;
  if (callbackUrl === undefined) return undefined;
  const message = await findCallbackUrlIssue(callbackUrl, network);
  if (message === null) return callbackUrl;
  const whose = said ? 'The callbackUrl' : `The callbackUrl in the file of the agent ${agent.name}`;
  throw new Refusal('invalid_request', `${whose} cannot be used. ${message}`, {
    errors: [{ path: 'callbackUrl', message }],
  });
}
