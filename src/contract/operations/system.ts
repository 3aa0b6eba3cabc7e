import { Session } from '#contract/permissions';
import { CodecBody } from '#contract/requests';
import { HealthResponse, ServerStatus } from '#contract/responses';
import * as examples from './examples';
import { ADMIN_ONLY, ANY_KEY, NO_KEY_NEEDED, type Operation } from './operation';

export const sessionOperations = {
  openSession: {
    method: 'post',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Swap the key for a cookie',
    description: 'For browsers: an HttpOnly, SameSite=Strict cookie that stands for the key of this request.',
    requiredScopes: ANY_KEY,
    responses: {
      200: {
        description: 'Set.',
        schema: Session,
        headers: ['Set-Cookie'],
        example: examples.exampleSession,
      },
    },
    problems: [],
  },
  getSession: {
    method: 'get',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Who this key stands for, and what it may do',
    requiredScopes: ANY_KEY,
    responses: { 200: { description: 'As it is.', schema: Session, example: examples.exampleSession } },
    problems: [],
  },
  closeSession: {
    method: 'delete',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Forget the cookie',
    requiredScopes: NO_KEY_NEEDED,
    responses: { 204: { description: 'Forgotten.', headers: ['Set-Cookie'] } },
    problems: [],
  },
} as const satisfies Record<string, Operation>;

export const healthOperations = {
  getHealth: {
    method: 'get',
    path: '/healthz',
    tag: 'Health',
    summary: 'The process is up',
    requiredScopes: NO_KEY_NEEDED,
    responses: { 200: { description: 'It is.', schema: HealthResponse, example: { status: 'ok' } } },
    problems: [],
  },
  getReadiness: {
    method: 'get',
    path: '/readyz',
    tag: 'Health',
    summary: 'Temporal answers',
    requiredScopes: NO_KEY_NEEDED,
    responses: { 200: { description: 'It does.', schema: HealthResponse, example: { status: 'ready' } } },
    problems: ['stopping'],
  },
  getMetrics: {
    method: 'get',
    path: '/metrics',
    tag: 'Health',
    summary: 'What is counted and measured',
    description: "In Prometheus' text format: of this process, and of what waits in Temporal.",
    requiredScopes: ADMIN_ONLY,
    responses: {
      200: {
        description: 'As it is now.',
        isText: true,
        example: '# TYPE parley_temporal_up gauge\nparley_temporal_up 1\n',
      },
    },
    problems: [],
  },
  getStatus: {
    method: 'get',
    path: '/v1/status',
    tag: 'Health',
    summary: 'What is set up, and what answers',
    description: 'For `parley doctor`, and for people: also while Temporal is down or no worker is up.',
    requiredScopes: ANY_KEY,
    responses: {
      200: { description: 'As it is.', schema: ServerStatus, example: examples.exampleServerStatus },
    },
    problems: [],
  },
} as const satisfies Record<string, Operation>;

const CODEC_DESCRIPTION =
  "Temporal's protocol for a remote codec: for `temporal --codec-endpoint` and the Temporal UI.";

export const codecOperations = {
  encodePayloads: {
    method: 'post',
    path: '/codec/encode',
    tag: 'Codec',
    summary: 'Compress and encrypt payloads',
    description: CODEC_DESCRIPTION,
    requiredScopes: ADMIN_ONLY,
    body: { schema: CodecBody, limit: '8mb', example: examples.exampleCodecBody },
    responses: {
      200: { description: 'As Parley writes them.', schema: CodecBody, example: examples.exampleCodecBody },
    },
    problems: [],
  },
  decodePayloads: {
    method: 'post',
    path: '/codec/decode',
    tag: 'Codec',
    summary: 'Decrypt and unpack payloads',
    description: `${CODEC_DESCRIPTION} Payloads in clear come back as they are.`,
    requiredScopes: ADMIN_ONLY,
    body: { schema: CodecBody, limit: '8mb', example: examples.exampleCodecBody },
    responses: { 200: { description: 'In clear.', schema: CodecBody, example: examples.exampleCodecBody } },
    problems: ['encryption_key_missing'],
  },
} as const satisfies Record<string, Operation>;
