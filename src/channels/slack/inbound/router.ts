import express, { type RequestHandler, Router } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { ApiError, allowOnlyMethods } from '#api/middleware/errors';
import { createSlackClient } from '#channels/slack/client';
import { handleButtonClick, handleFormSubmission, handleThreadReply } from './handlers';
import { parseSlackEnvelope, parseSlackInteraction, parseSlackMessageEvent } from './payloads';
import { createSlackPrincipalResolver } from './resolve-principal';
import { isValidSlackSignature } from './signature';
import type { SlackInboundDeps } from './submit';
import { isThreadReply } from './thread-reply';

/** Slack gives up on us after three seconds. */
const TIMEOUT_MS = 5_000;

/** Where Slack hands over clicks, forms and replies. Nothing is there where Slack is not set up. */
export function createSlackRouter(api: ApiDeps): Router {
  const router = Router();
  const settings = api.channels.slack;
  if (!settings) return router;
  const client = createSlackClient(settings, TIMEOUT_MS);
  const deps: SlackInboundDeps = {
    api,
    settings,
    slack: client,
    resolvePrincipal: createSlackPrincipalResolver(client, api),
    isNew: createDeduplicator(),
  };
  const signed = [readRawSlackBody, requireSlackSignature(settings.signingSecret, api)];
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
function requireSlackSignature(secret: string, { now }: Pick<ApiDeps, 'now'>): RequestHandler {
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
