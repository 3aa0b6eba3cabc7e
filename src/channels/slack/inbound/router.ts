import { createHmac } from 'node:crypto';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { InboundRoute } from '#channels/channel';
import { type InboundDeps, InboundError } from '#channels/inbound';
import { createSlackClient } from '#channels/slack/client';
import type { SlackSettings } from '#channels/slack/settings';
import { isTimingSafeEqual } from '#infra/crypto/timing-safe-equal';
import { handleButtonClick, handleFormSubmission } from './interactions';
import { parseSlackEnvelope, parseSlackInteraction } from './payloads';
import { createSlackPersonResolver } from './resolve-person';
import type { SlackInboundDeps } from './submit';
import { handleThreadReply } from './thread-reply';

/** Slack itself stops waiting after three seconds. */
const TIMEOUT_MS = 5_000;

/** Creates the routes to which Slack posts clicks, forms and replies. */
export function createSlackRoutes(settings: SlackSettings, inbound: InboundDeps): InboundRoute[] {
  const client = createSlackClient(settings, TIMEOUT_MS);
  const deps: SlackInboundDeps = {
    inbound,
    settings,
    slack: client,
    resolvePerson: createSlackPersonResolver(client, inbound),
    isNew: createDeduplicator(),
  };
  const signed = [readRawSlackBody, requireSlackSignature(settings.signingSecret, inbound)];
  const onInteraction = async (request: Request, response: Response) => {
    const interaction = parseSlackInteraction(decodeBody(request.body));
    if (interaction?.type === 'block_actions') return handleButtonClick(deps, interaction, response);
    if (interaction?.type === 'view_submission') return handleFormSubmission(deps, interaction, response);
    response.end();
  };
  const onEvent = async (request: Request, response: Response) => {
    const envelope = parseSlackEnvelope(decodeBody(request.body));
    if (envelope?.type === 'url_verification') return void response.json({ challenge: envelope.challenge });
    if (!envelope?.event) return void response.end();
    await handleThreadReply(deps, envelope.event, envelope.team_id ?? '', response);
  };
  return [
    { path: '/slack/interactions', handlers: [...signed, onInteraction] },
    { path: '/slack/events', handlers: [...signed, onEvent] },
  ];
}

/** Reads the raw body whatever its content type, since the signature covers the raw bytes. */
const readRawSlackBody: RequestHandler = express.raw({ type: () => true, limit: '1mb', inflate: false });

function decodeBody(body: unknown): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : '';
}

/** The most a timestamp may differ from now, to prevent replay of a recorded request. */
const MAX_CLOCK_SKEW_SECONDS = 300;

/** Accepts only requests that Slack signed recently. The error does not say what is wrong. */
function requireSlackSignature(secret: string, { now }: Pick<InboundDeps, 'now'>): RequestHandler {
  return (request, _response, next) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const timestamp = request.get('x-slack-request-timestamp') ?? '';
    const isRecent =
      /^\d{1,12}$/.test(timestamp) && Math.abs(now() / 1_000 - Number(timestamp)) <= MAX_CLOCK_SKEW_SECONDS;
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')}`;
    if (!isRecent || !isTimingSafeEqual(request.get('x-slack-signature') ?? '', signature))
      throw new InboundError('unauthenticated', 'Only requests signed by Slack are accepted.');
    next();
  };
}

const MAX_REMEMBERED = 1_000;

function createDeduplicator(): SlackInboundDeps['isNew'] {
  const seen = new Set<string>();
  return (key) => {
    if (seen.has(key)) return false;
    if (seen.size >= MAX_REMEMBERED) seen.clear();
    seen.add(key);
    return true;
  };
}
