import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { PROBLEMS, type Problem } from '#contract/problem';

/** The head of a reply as AWS takes it: cookies apart, and each other header once. */
export interface Head {
  statusCode: number;
  headers: Record<string, string>;
  cookies: string[];
}

export interface Reply extends Head {
  body: string;
  isBase64Encoded: boolean;
}

/** Of the connection within. */
const DROPPED = ['connection', 'keep-alive', 'transfer-encoding', 'set-cookie'];

export function headOf(response: IncomingMessage): Head {
  const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    DROPPED.includes(name) ? [] : [[name, values.join(', ')] as const],
  );
  return {
    statusCode: response.statusCode ?? 500,
    headers: Object.fromEntries(headers),
    cookies: response.headersDistinct['set-cookie'] ?? [],
  };
}

const TEXT = /^(text\/|application\/(json|problem\+json|javascript|manifest\+json)|image\/svg)/;
/** AWS takes 6 MB, with everything around it. */
const MOST = 5_900_000;

/** The whole reply at once. */
export async function replyOf(response: IncomingMessage): Promise<Reply> {
  const head = headOf(response);
  const bytes = await buffer(response);
  const isText = TEXT.test(head.headers['content-type'] ?? '') && !head.headers['content-encoding'];
  const body = bytes.toString(isText ? 'utf8' : 'base64');
  if (Buffer.byteLength(JSON.stringify(body)) > MOST) return tooLarge(bytes.length);
  return { ...head, body, isBase64Encoded: !isText };
}

function tooLarge(bytes: number): Reply {
  const [status, title] = PROBLEMS.internal;
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  const problem: Problem = {
    type: 'urn:parley:problem:internal',
    title,
    status,
    code: 'internal',
    detail: `The response has ${size}, and Lambda gives back 6 MB at once. Have it streamed: see deploy/lambda/README.md.`,
  };
  return {
    statusCode: status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    cookies: [],
    body: JSON.stringify(problem),
    isBase64Encoded: false,
  };
}
