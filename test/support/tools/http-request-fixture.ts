import { AgentFile } from '#contract/agent';
import type { HttpClient, OutboundRequest, OutboundResponse } from '#infra/http-client/client';
import { httpRequestTool } from '#tools/http-request/http-request';

export const HTTP_REQUEST_SETTINGS = {
  hosts: ['api.example.com', '*.example.org', 'build.corp:8080', 'bücher.example', 'old.example:80'],
};

export function createHttpRequestAgent(settings: object) {
  const file = AgentFile.parse({
    name: 'clerk',
    description: 'd',
    tools: [{ name: 'http_request', ...settings }],
  });
  return { ...file, prompt: 'p' };
}

interface HttpRequestRun {
  settings: unknown;
  network: HttpClient;
  variables?: Record<string, string>;
}

export async function runHttpRequest(
  input: object,
  { settings, network, variables = {} }: HttpRequestRun,
): Promise<string> {
  if (httpRequestTool.execution.kind !== 'activity') throw new Error('it runs outside');
  const { signal } = new AbortController();
  return httpRequestTool.execution.execute(input, {
    conversationId: 'c',
    callId: 'k',
    signal,
    settings,
    network,
    variables,
  });
}

const OK_RESPONSE = {
  status: 200,
  url: 'https://api.example.com/',
  truncated: false,
  headers: {},
  body: Buffer.from('ok'),
};

/** Creates a fake HTTP client that records requests and returns a fixed response. */
export function createRecordingNetwork(answer: Partial<OutboundResponse> = {}) {
  const requests: OutboundRequest[] = [];
  const network: HttpClient = {
    request: async (request) => {
      requests.push(request);
      return { ...OK_RESPONSE, ...answer };
    },
    close: async () => undefined,
  };
  return { network, asked: requests };
}

/** Returns the HTTP request that the tool makes for this input. */
export async function captureHttpRequest(
  input: object,
  settings: object = HTTP_REQUEST_SETTINGS,
  variables = {},
): Promise<OutboundRequest> {
  const { network, asked } = createRecordingNetwork();
  await runHttpRequest(input, { settings, network, variables });
  return asked[0] as OutboundRequest;
}

export async function formatResponseResult(answer: Partial<OutboundResponse>): Promise<string> {
  return runHttpRequest(
    { url: 'https://api.example.com/' },
    { settings: HTTP_REQUEST_SETTINGS, network: createRecordingNetwork(answer).network },
  );
}

/** Returns a reference to a variable, as in an agent file. */
export const variableReference = (name: string) => `\${${name}}`;
