import express, { type RequestHandler, Router } from 'express';
import { ApiError, allowOnlyMethods } from '#api/middleware/errors';
import type { InboundDeps } from '#channels/inbound';
import { createSlackClient } from '#channels/slack/client';
import type { SlackSettings } from '#contract/channel-settings';
import { handleButtonClick, handleFormSubmission, handleThreadReply } from './handlers';
import { parseSlackEnvelope, parseSlackInteraction, parseSlackMessageEvent } from './payloads';
import { createSlackPersonResolver } from './resolve-person';
import { isValidSlackSignature } from './signature';
import type { SlackInboundDeps } from './submit';
import { isThreadReply } from './thread-reply';

/** Slack gives up on us after three seconds. */
const TIMEOUT_MS = 5_000;

/** Where Slack hands over clicks, forms and replies. */
export function createSlackRouter(inbound: InboundDeps, settings: SlackSettings): Router {
  const router = Router();
  const client = createSlackClient(settings, TIMEOUT_MS);
  const deps: SlackInboundDeps = {
    inbound,
    settings,
    slack: client,
    resolvePerson: createSlackPersonResolver(client, inbound),
    isNew: createDeduplicator(),
  };
  const signed = [readRawSlackBody, requireSlackSignature(settings.signingSecret, inbound)];
  router.post('/slack/interactions', ...signed, async (request, response) => {
    const interaction = parseSlackInteraction(decodeBody(request.body));
    if (interaction?.type === 'block_actions') return handleButtonClick(deps, interaction, response);
    if (interaction?.type === 'view_submission') return handleFormSubmission(deps, interaction, response);
    response.end();
  });
  router.post('/slack/events', ...signed, async (request, response) => {
    const envelope = parseSlackEnvelope(decodeBody(request.body));
    if (envelope?.type === 'url_verification') return void response.json({ challenge: envelope.challenge });
    const message = envelope && parseSlackMessageEvent(envelope.event);
    if (!message || !isThreadReply(message)) return void response.end();
    await handleThreadReply(deps, message, envelope.team_id ?? '', response);
  });
  router.all(['/slack/interactions', '/slack/events'], allowOnlyMethods('POST'));
  return router;
}

/** The body as it was sent, whatever it says it is: that is what is signed. */
const readRawSlackBody: RequestHandler = express.raw({ type: () => true, limit: '1mb', inflate: false });

function decodeBody(body: unknown): string {
  return Buffer.isBuffer(body) ? body.toString('utf8') : '';
}

/** Lets on what Slack signed just now. Whatever else comes is told nothing of what is wrong with it. */
function requireSlackSignature(secret: string, { now }: Pick<InboundDeps, 'now'>): RequestHandler {
  return (request, _response, next) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const timestamp = request.get('x-slack-request-timestamp');
    const signature = request.get('x-slack-signature');
    if (!isValidSlackSignature(secret, { timestamp, signature, body }, now()))
      throw new ApiError('unauthenticated', 'This is for requests that Slack signed.');
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
