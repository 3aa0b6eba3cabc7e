import { Router } from 'express';
import { createSlack } from '#channels/slack/client';
import type { Context } from './context';
import { onlyMethods } from './errors';
import { newOnes, type Parts } from './slack/parts';
import { readEnvelope, readInteraction, readMessage } from './slack/payloads';
import { knowing } from './slack/person';
import { isReply } from './slack/reply';
import { onlySigned, rawBody, textOf } from './slack/signed';
import { takeClick, takeForm, takeReply } from './slack/taking';

/** Slack gives up on us after three seconds. */
const TIMEOUT_MS = 5_000;

/** Where Slack hands over clicks, forms and replies. Nothing is there where Slack is not set up. */
export function slack(context: Context): Router {
  const router = Router();
  const settings = context.channels.slack;
  if (!settings) return router;
  const client = createSlack(settings, TIMEOUT_MS);
  const parts: Parts = {
    context,
    settings,
    slack: client,
    whoIs: knowing(client, context),
    isNew: newOnes(),
  };
  const signed = [rawBody, onlySigned(settings.signingSecret, context)];
  router.post('/slack/interactions', ...signed, async (request, response) => {
    const interaction = readInteraction(textOf(request.body));
    if (interaction?.type === 'block_actions') return takeClick(parts, interaction, response);
    if (interaction?.type === 'view_submission') return takeForm(parts, interaction, response);
    response.end();
  });
  router.post('/slack/events', ...signed, async (request, response) => {
    const envelope = readEnvelope(textOf(request.body));
    if (envelope?.type === 'url_verification') return void response.json({ challenge: envelope.challenge });
    const message = envelope && readMessage(envelope.event);
    if (!message || !isReply(message)) return void response.end();
    await takeReply(parts, message, envelope.team_id ?? '', response);
  });
  router.all(['/slack/interactions', '/slack/events'], onlyMethods('POST'));
  return router;
}
