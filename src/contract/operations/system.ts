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
    summary: 'Create session',
    description:
      'Sets an HttpOnly, SameSite=Strict cookie that browsers can use instead of the API key of this request.',
    requiredScopes: ANY_KEY,
    responses: {
      200: {
        description: 'The session.',
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
    summary: 'Get current session',
    requiredScopes: ANY_KEY,
    responses: { 200: { description: 'The session.', schema: Session, example: examples.exampleSession } },
    problems: [],
  },
  closeSession: {
    method: 'delete',
    path: '/v1/session',
    tag: 'Access',
    summary: 'Delete session',
    requiredScopes: NO_KEY_NEEDED,
    responses: { 204: { description: 'Deleted.', headers: ['Set-Cookie'] } },
    problems: [],
  },
} as const satisfies Record<string, Operation>;

export const healthOperations = {
  getHealth: {
    method: 'get',
    path: '/healthz',
    tag: 'Health',
    summary: 'Liveness',
    requiredScopes: NO_KEY_NEEDED,
    responses: { 200: { description: 'The process is running.', schema: HealthResponse, example: { status: 'ok' } } },
    problems: [],
  },
  getReadiness: {
    method: 'get',
    path: '/readyz',
    tag: 'Health',
    summary: 'Readiness',
    requiredScopes: NO_KEY_NEEDED,
    responses: { 200: { description: 'Temporal responds.', schema: HealthResponse, example: { status: 'ready' } } },
    problems: ['stopping'],
  },
  getMetrics: {
    method: 'get',
    path: '/metrics',
    tag: 'Health',
    summary: 'Metrics',
    description: "Metrics of this process and of the backlog in Temporal, in Prometheus' text format.",
    requiredScopes: ADMIN_ONLY,
    responses: {
      200: {
        description: 'The metrics.',
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
    summary: 'Status',
    description: 'Configuration and health. Available even if Temporal is down or no worker is running.',
    requiredScopes: ANY_KEY,
    responses: {
      200: { description: 'The status.', schema: ServerStatus, example: examples.exampleServerStatus },
    },
    problems: [],
  },
} as const satisfies Record<string, Operation>;

const CODEC_DESCRIPTION = 'Remote codec for `temporal --codec-endpoint` and the Temporal UI.';

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
      200: { description: 'Encoded payloads.', schema: CodecBody, example: examples.exampleCodecBody },
    },
    problems: [],
  },
  decodePayloads: {
    method: 'post',
    path: '/codec/decode',
    tag: 'Codec',
    summary: 'Decrypt and decompress payloads',
    description: `${CODEC_DESCRIPTION} Unencoded payloads are returned unchanged.`,
    requiredScopes: ADMIN_ONLY,
    body: { schema: CodecBody, limit: '8mb', example: examples.exampleCodecBody },
    responses: { 200: { description: 'Decoded payloads.', schema: CodecBody, example: examples.exampleCodecBody } },
    problems: ['encryption_key_missing'],
  },
} as const satisfies Record<string, Operation>;
