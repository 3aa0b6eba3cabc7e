import * as examples from '#contract/operations/examples';
import { prettyJson } from './components';
import { type DocsOperation, type DocsParameter, replyContent } from './openapi-document';

/** What stands in a path in the story that the examples tell. */
const EXAMPLE_PATH_VALUES: Record<string, string> = {
  id: examples.exampleStartedConversation.id,
  qid: 'latest',
  agent: 'intake',
  name: examples.exampleAgent.name,
};

export interface CurlRequest {
  body?: unknown;
  headers?: Record<string, string>;
}

/** A call as one types it. The key is read from the environment, so that none ends up in a shell's history. */
export function curlCommand(url: string, operation: DocsOperation, { body, headers = {} }: CurlRequest = {}): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_all, name: string) => EXAMPLE_PATH_VALUES[name] ?? name);
  const requestBody = body ?? replyContent(operation.requestBody?.content)?.example;
  const command = `curl${isStreamOperation(operation) ? ' -N' : ''}${methodOf(operation, requestBody)}`;
  const quotedUrl = shellQuote(`${url}${path}`);
  const parts = [
    `${command} ${quotedUrl}`,
    ...(operation.security.length > 0 ? ['-H "Authorization: Bearer $PARLEY_KEY"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(requestBody === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellQuote(prettyJson(requestBody)).replaceAll('\n', '\n  ')}`]),
  ];
  return parts.join(' \\\n  ');
}

/** The header that makes it safe to send a call again, where it takes one and does not go by an id of its own. */
export function repeatableRequest({ parameters, requestBody }: DocsOperation): Record<string, string> {
  const body = replyContent(requestBody?.content);
  const hasOwnId = body?.schema.properties?.id !== undefined && hasId(body.example);
  return parameters.some(isIdempotencyParameter) && !hasOwnId ? { 'Idempotency-Key': '$(uuidgen)' } : {};
}

function hasId(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'id' in body;
}

export function isIdempotencyParameter({ name }: DocsParameter): boolean {
  return name === 'Idempotency-Key';
}

export function isStreamOperation({ responses }: DocsOperation): boolean {
  return Object.values(responses).some(({ content }) => content?.['text/event-stream']);
}

/** `-d` makes it a POST by itself. */
function methodOf({ method }: DocsOperation, body: unknown): string {
  const isImplied = method === 'get' || (method === 'post' && body !== undefined);
  return isImplied ? '' : ` -X ${method.toUpperCase()}`;
}

function shellQuote(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
