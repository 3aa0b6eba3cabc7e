import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of S3's protocol for one bucket. Checks every signature by AWS' rules (version 4). */
export interface FakeS3 {
  url: string;
  bucket: string;
  objects: Map<string, Buffer>;
  /** Environment variables for its clients. */
  environment: Record<string, string>;
  /** Denies all requests from now on, or allows them again. Stores differ in their error codes. */
  deny(isDenied: boolean, why?: { status: number; code: string }): void;
  /** Makes every write wait for this promise. */
  holdWrites(until: Promise<unknown>): void;
  stop(): Promise<void>;
}

const ACCESS_KEY = 'AKPARLEYTEST';
const SECRET_KEY = 'a secret that only the two of them know';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

class S3Error extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code);
  }
}

export async function startFakeS3(bucket = 'parley-test'): Promise<FakeS3> {
  const objects = new Map<string, Buffer>();
  let denial: S3Error | undefined;
  let writesReleased: Promise<unknown> = Promise.resolve();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    checkSignature(request, body);
    if (denial) throw denial;
    const { pathname } = new URL(request.url ?? '', 'http://s3');
    const [, name, ...rest] = pathname.split('/').map(decodeURIComponent);
    if (name !== bucket) throw new S3Error(404, 'NoSuchBucket');
    const key = rest.join('/');
    if (request.method === 'PUT') {
      await writesReleased;
      objects.set(key, body);
      return void response.writeHead(200, { etag: '"x"' }).end();
    }
    const found = objects.get(key);
    if (!found) throw new S3Error(404, 'NoSuchKey');
    response.writeHead(200, { 'content-length': found.length }).end(found);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      const { status, code } = error instanceof S3Error ? error : new S3Error(500, 'InternalError');
      const body = `<Error><Code>${code}</Code><Message>${code} it is.</Message></Error>`;
      response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    bucket,
    objects,
    environment: {
      PARLEY_S3_ENDPOINT: url,
      AWS_ACCESS_KEY_ID: ACCESS_KEY,
      AWS_SECRET_ACCESS_KEY: SECRET_KEY,
      AWS_REGION: 'eu-central-1',
    },
    deny(isDenied, { status, code } = { status: 403, code: 'AccessDenied' }) {
      denial = isDenied ? new S3Error(status, code) : undefined;
    },
    holdWrites(until) {
      writesReleased = until;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function checkSignature({ method, url = '', headers }: IncomingMessage, body: Buffer): void {
  const credentials =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      headers.authorization ?? '',
    );
  if (!credentials) throw new S3Error(403, 'AccessDenied');
  const [, accessKey, date = '', region = '', signedHeaders = '', signature] = credentials;
  if (accessKey !== ACCESS_KEY) throw new S3Error(403, 'InvalidAccessKeyId');
  const { pathname, searchParams } = new URL(url, 'http://s3');
  searchParams.sort();
  const payload = String(headers['x-amz-content-sha256']);
  if (payload !== sha256(body)) throw new S3Error(400, 'XAmzContentSHA256Mismatch');
  const lines = signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const canonical = [method, pathname, searchParams.toString(), lines.join(''), signedHeaders, payload].join('\n');
  const time = String(headers['x-amz-date']);
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = ['s3', 'aws4_request'].reduce<Buffer>(
    (signingKey, part) => hmac(signingKey, part),
    hmac(hmac(`AWS4${SECRET_KEY}`, date), region),
  );
  if (hmac(key, text).toString('hex') !== signature) throw new S3Error(403, 'SignatureDoesNotMatch');
}
