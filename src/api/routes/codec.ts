import cors from 'cors';
import type { RequestHandler } from 'express';
import type { ApiDeps } from '#api/dependencies';
import type { OperationHandlers } from '#api/router';
import type { CodecBody, CodecPayload } from '#contract/requests';
import { decodeJsonPayloads, encodeJsonPayloads } from '#infra/temporal/codec/data-converter';

/** A remote codec for Temporal's own tools: encodes and decodes the given payloads, and stores nothing. */
export function codecRoutes({ codecs }: ApiDeps): Pick<OperationHandlers, 'encodePayloads' | 'decodePayloads'> {
  const convert = async (change: typeof decodeJsonPayloads, payloads: CodecPayload[]): Promise<CodecBody> => ({
    payloads: await change(codecs, payloads),
  });
  return {
    async encodePayloads({ body }, response) {
      response.json(await convert(encodeJsonPayloads, body.payloads));
    },
    async decodePayloads({ body }, response) {
      response.json(await convert(decodeJsonPayloads, body.payloads));
    },
  };
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Returns the origins of the Temporal UI: for a local one, with each loopback name. */
export function readUiOrigins(uiUrl: string): string[] {
  const { origin, hostname } = new URL(uiUrl);
  if (!LOOPBACK_NAMES.includes(hostname)) return [origin];
  return LOOPBACK_NAMES.map((name) => origin.replace(hostname, name));
}

/** Allows pages of the Temporal UI, and the configured origins, to use the codec with the web app's cookie. */
export function codecCors(origins: string[]): RequestHandler {
  return cors({
    origin: origins,
    credentials: true,
    methods: ['POST'],
    allowedHeaders: ['Authorization', 'Authorization-Extras', 'Content-Type', 'X-Namespace', 'X-Request-Id'],
    maxAge: 600,
  });
}
