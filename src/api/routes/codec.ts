import cors from 'cors';
import type { RequestHandler } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { parseBody } from '#api/middleware/validation';
import type { OperationHandlers } from '#api/router';
import { CodecBody, type CodecPayload } from '#contract/requests';
import { decodeJsonPayloads, encodeJsonPayloads } from '#infra/temporal/codec/data-converter';

/** Temporal's own tools show and send payloads in clear by these. Nothing is read or kept: what is sent comes back changed. */
export function codecRoutes({ codecs }: ApiDeps): Pick<OperationHandlers, 'encodePayloads' | 'decodePayloads'> {
  const convert = async (change: typeof decodeJsonPayloads, payloads: CodecPayload[]): Promise<CodecBody> => ({
    payloads: await change(codecs, payloads),
  });
  return {
    async encodePayloads(request, response) {
      response.json(await convert(encodeJsonPayloads, parseBody(CodecBody, request).payloads));
    },
    async decodePayloads(request, response) {
      response.json(await convert(decodeJsonPayloads, parseBody(CodecBody, request).payloads));
    },
  };
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Where the Temporal UI is served from; on this machine by whichever of its names somebody typed. */
export function readUiOrigins(uiUrl: string): string[] {
  const { origin, hostname } = new URL(uiUrl);
  if (!LOOPBACK_NAMES.includes(hostname)) return [origin];
  return LOOPBACK_NAMES.map((name) => origin.replace(hostname, name));
}

/** For pages of the Temporal UI, and whoever else may call the API from a page; with the cookie of the web app. */
export function codecCors(origins: string[]): RequestHandler {
  return cors({
    origin: origins,
    credentials: true,
    methods: ['POST'],
    allowedHeaders: ['Authorization', 'Authorization-Extras', 'Content-Type', 'X-Namespace', 'X-Request-Id'],
    maxAge: 600,
  });
}
