import { createHash, createHmac } from 'node:crypto';
import { fromBase32, toBase32 } from './base32';
import { isSame } from './same';

/** What a reply by mail is to, and whom it has to be from. */
export interface ReplyTo {
  conversation: string;
  /** As in `question-7`. */
  number: number;
  person: string;
  /** The id of a conversation may be used again once it is forgotten: this tells one asking from another. */
  askedAt: string;
}

export interface ReadReply {
  conversation: string;
  number: number;
  isFor(person: string): boolean;
  wasAskedAt(time: string): boolean;
}

/** The ids that Parley makes are written as bytes, so that the token fits into the local part of an address. */
const AS_TEXT = 1;
const AS_HEX = 2;
const AS_UUID = 3;
const HEX = /^c-((?:[0-9a-f]{2}){1,60})$/;
const UUID = /^c-([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;

const HEAD = 3;
const PERSON = 4;
const ASKED = 3;
const SIGNATURE = 10;

/** Stands in reply addresses and ids of mail: whoever holds it and writes as that person may answer, so it is never logged. */
export function writeReply(secret: string, { conversation, number, person, askedAt }: ReplyTo): string {
  const [kind, id] = packed(conversation);
  const head = Buffer.from([kind, number >> 8, number & 0xff]);
  const body = Buffer.concat([head, whose(secret, conversation, person), when(askedAt), id]);
  return toBase32(Buffer.concat([body, sign(secret, body)]));
}

/** By itself, with nothing looked up. Nothing where Parley did not write it. */
export function readReply(secret: string, token: string): ReadReply | undefined {
  const bytes = fromBase32(token);
  if (!bytes || bytes.length <= HEAD + PERSON + ASKED + SIGNATURE) return undefined;
  const body = bytes.subarray(0, -SIGNATURE);
  const signature = bytes.subarray(-SIGNATURE);
  if (!isSame(signature.toString('hex'), sign(secret, body).toString('hex'))) return undefined;
  const conversation = unpacked(body[0], body.subarray(HEAD + PERSON + ASKED));
  const owner = body.subarray(HEAD, HEAD + PERSON).toString('hex');
  const asked = body.subarray(HEAD + PERSON, HEAD + PERSON + ASKED);
  return {
    conversation,
    number: body.readUInt16BE(1),
    isFor: (person) => isSame(whose(secret, conversation, person).toString('hex'), owner),
    wasAskedAt: (time) => asked.equals(when(time)),
  };
}

function packed(id: string): [kind: number, bytes: Buffer] {
  const hex = HEX.exec(id)?.[1];
  if (hex) return [AS_HEX, Buffer.from(hex, 'hex')];
  const uuid = UUID.exec(id);
  return uuid ? [AS_UUID, Buffer.from(uuid.slice(1).join(''), 'hex')] : [AS_TEXT, Buffer.from(id)];
}

function unpacked(kind: number | undefined, bytes: Buffer): string {
  if (kind === AS_TEXT) return bytes.toString();
  const hex = bytes.toString('hex');
  return kind === AS_HEX ? `c-${hex}` : `c-${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
}

function whose(secret: string, conversation: string, person: string): Buffer {
  const made = createHmac('sha256', secret).update(JSON.stringify(['reply by', conversation, person]));
  return made.digest().subarray(0, PERSON);
}

function when(askedAt: string): Buffer {
  return createHash('sha256').update(askedAt).digest().subarray(0, ASKED);
}

function sign(secret: string, body: Buffer): Buffer {
  return createHmac('sha256', secret).update('reply\n').update(body).digest().subarray(0, SIGNATURE);
}
