import { AgentFile } from '#contract/agent';
import type { Network, OutboundRequest, OutboundResponse } from '#network/network';
import { httpRequest } from '#tools/http-request';

export const FILE = {
  hosts: ['api.example.com', '*.example.org', 'build.corp:8080', 'bücher.example', 'old.example:80'],
};

export function agentWith(settings: object) {
  const file = AgentFile.parse({
    name: 'clerk',
    description: 'd',
    tools: [{ name: 'http_request', ...settings }],
  });
  return { ...file, prompt: 'p' };
}

interface Use {
  settings: unknown;
  network: Network;
  variables?: Record<string, string>;
}

export async function use(input: object, { settings, network, variables = {} }: Use): Promise<string> {
  if (httpRequest.running.as !== 'activity') throw new Error('it runs outside');
  const { signal } = new AbortController();
  return httpRequest.running.use(input, {
    conversationId: 'c',
    callId: 'k',
    signal,
    settings,
    network,
    variables,
  });
}

const OK = {
  status: 200,
  url: 'https://api.example.com/',
  truncated: false,
  headers: {},
  body: Buffer.from('ok'),
};

/** A way out that leads nowhere: it keeps what was asked and gives what it was told. */
export function recording(answer: Partial<OutboundResponse> = {}) {
  const asked: OutboundRequest[] = [];
  const network: Network = {
    request: async (request) => {
      asked.push(request);
      return { ...OK, ...answer };
    },
    close: async () => undefined,
  };
  return { network, asked };
}

/** What the tool asks of the network for such a call. */
export async function requestOf(
  input: object,
  settings: object = FILE,
  variables = {},
): Promise<OutboundRequest> {
  const { network, asked } = recording();
  await use(input, { settings, network, variables });
  return asked[0] as OutboundRequest;
}

export async function resultOf(answer: Partial<OutboundResponse>): Promise<string> {
  return use({ url: 'https://api.example.com/' }, { settings: FILE, network: recording(answer).network });
}

/** As an agent's file names a variable. */
export const variable = (name: string) => `\${${name}}`;
