import { Session } from '#contract/permissions';
import { CodecBody } from '#contract/requests';
import { HealthResponse, ServerStatus } from '#contract/responses';
import * as examples from './examples';
import { ANY_KEY, DECODE_PAYLOADS, jsonReply, NO_KEY_NEEDED, type Operation, READ_METRICS } from './operation';

export const sessionOperations = {
  openSession: {
    method: 'post',
    path: '/v1/session',
    summary: 'Create session',
    description:
      'Sets an HttpOnly, SameSite=Strict cookie that browsers can use instead of the API key of this request.',
    requiredScopes: ANY_KEY,
    responses: { 200: jsonReply('The session.', Session, examples.exampleSession, ['Set-Cookie']) },
  },
  getSession: {
    method: 'get',
    path: '/v1/session',
    summary: 'Get current session',
    requiredScopes: ANY_KEY,
    responses: { 200: jsonReply('The session.', Session, examples.exampleSession) },
  },
  closeSession: {
    method: 'delete',
    path: '/v1/session',
    summary: 'Delete session',
    requiredScopes: NO_KEY_NEEDED,
    responses: { 204: { description: 'Deleted.', headers: ['Set-Cookie'] } },
  },
} as const satisfies Record<string, Operation>;

export const healthOperations = {
  getHealth: {
    method: 'get',
    path: '/healthz',
    summary: 'Liveness',
    requiredScopes: NO_KEY_NEEDED,
    responses: { 200: jsonReply('The process is running.', HealthResponse, { status: 'ok' }) },
  },
  getReadiness: {
    method: 'get',
    path: '/readyz',
    summary: 'Readiness',
    requiredScopes: NO_KEY_NEEDED,
    responses: { 200: jsonReply('Temporal responds.', HealthResponse, { status: 'ready' }) },
    problems: ['stopping'],
  },
  getMetrics: {
    method: 'get',
    path: '/metrics',
    summary: 'Metrics',
    description: "Metrics of this process and of the backlog in Temporal, in Prometheus' text format.",
    requiredScopes: READ_METRICS,
    responses: {
      200: {
        description: 'The metrics.',
        isText: true,
        example: '# TYPE parley_temporal_up gauge\nparley_temporal_up 1\n',
      },
    },
  },
  getStatus: {
    method: 'get',
    path: '/v1/status',
    summary: 'Status',
    description: 'Configuration and health. Available even if Temporal is down or no worker is running.',
    requiredScopes: ANY_KEY,
    responses: { 200: jsonReply('The status.', ServerStatus, examples.exampleServerStatus) },
  },
} as const satisfies Record<string, Operation>;

const CODEC_DESCRIPTION = 'Remote codec for `temporal --codec-endpoint` and the Temporal UI.';

export const codecOperations = {
  encodePayloads: {
    method: 'post',
    path: '/codec/encode',
    summary: 'Compress and encrypt payloads',
    description: CODEC_DESCRIPTION,
    requiredScopes: DECODE_PAYLOADS,
    body: { schema: CodecBody, limit: '8mb', example: examples.exampleCodecBody },
    responses: { 200: jsonReply('Encoded payloads.', CodecBody, examples.exampleCodecBody) },
  },
  decodePayloads: {
    method: 'post',
    path: '/codec/decode',
    summary: 'Decrypt and decompress payloads',
    description: `${CODEC_DESCRIPTION} Unencoded payloads are returned unchanged.`,
    requiredScopes: DECODE_PAYLOADS,
    body: { schema: CodecBody, limit: '8mb', example: examples.exampleCodecBody },
    responses: { 200: jsonReply('Decoded payloads.', CodecBody, examples.exampleCodecBody) },
    problems: ['encryption_key_missing'],
  },
} as const satisfies Record<string, Operation>;
