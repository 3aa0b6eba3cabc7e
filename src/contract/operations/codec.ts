import { CodecBody } from '#contract/codec';
import * as examples from '#contract/examples';
import { ADMIN } from './allowed';
import type { Operation } from './operation';

const about = "Temporal's protocol for a remote codec: for `temporal --codec-endpoint` and the Temporal UI.";

export const codec = {
  encodePayloads: {
    method: 'post',
    path: '/codec/encode',
    tag: 'Codec',
    summary: 'Compress and encrypt payloads',
    description: about,
    allowed: ADMIN,
    body: { schema: CodecBody, limit: '8mb', example: examples.payloads },
    replies: {
      200: { description: 'As Parley writes them.', schema: CodecBody, example: examples.payloads },
    },
    problems: [],
  },
  decodePayloads: {
    method: 'post',
    path: '/codec/decode',
    tag: 'Codec',
    summary: 'Decrypt and unpack payloads',
    description: `${about} Payloads in clear come back as they are.`,
    allowed: ADMIN,
    body: { schema: CodecBody, limit: '8mb', example: examples.payloads },
    replies: { 200: { description: 'In clear.', schema: CodecBody, example: examples.payloads } },
    problems: ['encryption_key_missing'],
  },
} as const satisfies Record<string, Operation>;
