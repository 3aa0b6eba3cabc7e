import { createHash, createHmac } from 'node:crypto';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';

/** The question a reply answers, and the person it must come from. */
export interface ReplyTokenClaims {
  conversationId: string;
  /** As in `question-7`. */
  questionNumber: number;
  person: string;
  /** Tells two questions apart if a conversation id is reused after the first conversation is forgotten. */
  askedAt: string;
}

export interface VerifiedReplyToken {
  conversationId: string;
  questionNumber: number;
  isFor(person: string): boolean;
  wasAskedAt(time: string): boolean;
}

/** Generated ids are encoded as bytes, so that the token fits into the local part of an address. */
const ID_AS_TEXT = 1;
const ID_AS_HEX = 2;
const ID_AS_UUID = 3;
const HEX_ID = /^c-((?:[0-9a-f]{2}){1,60})$/;
const UUID_ID = /^c-([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;

const PREFIX_BYTES = 3;
const PERSON_HASH_BYTES = 4;
const ASKED_AT_HASH_BYTES = 3;
const SIGNATURE_BYTES = 10;

/**
 * Creates a token for reply addresses and message ids. Never log it: with it, anyone who writes from that person's
 * address may answer.
 */
export function createReplyToken(
  secret: string,
  { conversationId, questionNumber, person, askedAt }: ReplyTokenClaims,
): string {
  const [kind, id] = encodeConversationId(conversationId);
  const prefix = Buffer.from([kind, questionNumber >> 8, questionNumber & 0xff]);
  const body = Buffer.concat([prefix, hashPerson(secret, conversationId, person), hashAskedAt(askedAt), id]);
  return encodeBase32(Buffer.concat([body, signReplyToken(secret, body)]));
}

/** Verifies a token without a lookup. Returns `undefined` if Parley did not sign it. */
export function verifyReplyToken(secret: string, token: string): VerifiedReplyToken | undefined {
  const bytes = decodeBase32(token);
  if (!bytes || bytes.length <= PREFIX_BYTES + PERSON_HASH_BYTES + ASKED_AT_HASH_BYTES + SIGNATURE_BYTES)
    return undefined;
  const body = bytes.subarray(0, -SIGNATURE_BYTES);
  const signature = bytes.subarray(-SIGNATURE_BYTES);
  if (!isTimingSafeEqual(signature.toString('hex'), signReplyToken(secret, body).toString('hex'))) return undefined;
  const conversationId = decodeConversationId(
    body[0],
    body.subarray(PREFIX_BYTES + PERSON_HASH_BYTES + ASKED_AT_HASH_BYTES),
  );
  const personHash = body.subarray(PREFIX_BYTES, PREFIX_BYTES + PERSON_HASH_BYTES).toString('hex');
  const askedAtHash = body.subarray(
    PREFIX_BYTES + PERSON_HASH_BYTES,
    PREFIX_BYTES + PERSON_HASH_BYTES + ASKED_AT_HASH_BYTES,
  );
  return {
    conversationId,
    questionNumber: body.readUInt16BE(1),
    isFor: (person) => isTimingSafeEqual(hashPerson(secret, conversationId, person).toString('hex'), personHash),
    wasAskedAt: (time) => askedAtHash.equals(hashAskedAt(time)),
  };
}

function encodeConversationId(id: string): [kind: number, bytes: Buffer] {
  const hex = HEX_ID.exec(id)?.[1];
  if (hex) return [ID_AS_HEX, Buffer.from(hex, 'hex')];
  const uuid = UUID_ID.exec(id);
  return uuid ? [ID_AS_UUID, Buffer.from(uuid.slice(1).join(''), 'hex')] : [ID_AS_TEXT, Buffer.from(id)];
}

function decodeConversationId(kind: number | undefined, bytes: Buffer): string {
  if (kind === ID_AS_TEXT) return bytes.toString();
  const hex = bytes.toString('hex');
  return kind === ID_AS_HEX ? `c-${hex}` : `c-${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
}

function hashPerson(secret: string, conversationId: string, person: string): Buffer {
  const hmac = createHmac('sha256', secret).update(JSON.stringify(['reply by', conversationId, person]));
  return hmac.digest().subarray(0, PERSON_HASH_BYTES);
}

function hashAskedAt(askedAt: string): Buffer {
  return createHash('sha256').update(askedAt).digest().subarray(0, ASKED_AT_HASH_BYTES);
}

function signReplyToken(secret: string, body: Buffer): Buffer {
  return createHmac('sha256', secret).update('reply\n').update(body).digest().subarray(0, SIGNATURE_BYTES);
}

/** Encodes in lower case, since mail servers may change the case of addresses. The first byte must not be 0. */
function encodeBase32(bytes: Buffer): string {
  return BigInt(`0x${bytes.toString('hex')}`).toString(32);
}

/** Returns `undefined` if the text is not what `encodeBase32` returns. */
function decodeBase32(text: string): Buffer | undefined {
  const token = text.toLowerCase();
  if (!/^[1-9a-v][0-9a-v]*$/.test(token)) return undefined;
  const hex = [...token].reduce((sum, digit) => sum * 32n + BigInt(Number.parseInt(digit, 32)), 0n).toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}
