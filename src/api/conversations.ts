import type { Conversation } from '#contract/conversation';
import { ConversationListQuery, LastEventId, TimelineQuery } from '#contract/requests';
import type { ConversationListResponse } from '#contract/responses';
import { findSeen } from './access';
import { callerOf } from './caller';
import { cancel } from './cancel';
import type { Context } from './context';
import { countConversations } from './counting';
import { exportConversation } from './exporting';
import { tellAsOf, tellListAsOf } from './freshness';
import { readResult } from './kept-results';
import { listConversations } from './listing';
import { readAsOf, readTimeline } from './reading';
import { parse } from './request';
import type { Handlers } from './routes';
import { say } from './say';
import { start } from './start';

type Conversations =
  | 'startConversation'
  | 'listConversations'
  | 'getConversation'
  | 'getTimeline'
  | 'sendMessage'
  | 'cancelConversation'
  | 'followConversation'
  | 'getResult'
  | 'exportConversation';

export function conversations(context: Context): Pick<Handlers, Conversations> {
  const { gateway, linksOf, live, stream } = context;
  return {
    startConversation: (request, response) => start(context, request, response),
    async listConversations(request, response) {
      const query = parse(ConversationListQuery, request.query);
      const caller = callerOf(response);
      const [page, counts] = await Promise.all([
        listConversations(context, caller, query),
        query.counts ? countConversations(context, caller, query.agent) : undefined,
        tellListAsOf(context, response),
      ]);
      response.json({ ...page, counts } satisfies ConversationListResponse);
    },
    async getConversation(request, response) {
      const run = await findSeen(gateway, callerOf(response), request.params.id);
      const { conversation, asOf } = await readAsOf(gateway, run);
      tellAsOf(response, asOf);
      response.json({ ...conversation, links: linksOf(run.id) } satisfies Conversation);
    },
    async getTimeline(request, response) {
      const { after } = parse(TimelineQuery, request.query);
      const run = await findSeen(gateway, callerOf(response), request.params.id);
      response.json(await readTimeline(gateway, run, after));
    },
    sendMessage: (request, response) => say(context, request, response),
    cancelConversation: (request, response) => cancel(context, request, response),
    async followConversation(request, response) {
      const after = parse(LastEventId.optional(), request.get('last-event-id'));
      const caller = callerOf(response);
      const run = await findSeen(gateway, caller, request.params.id);
      await stream(caller, () => live.followConversation(run, after, request, response));
    },
    async getResult(request, response) {
      const { id, handle } = request.params;
      const run = await findSeen(gateway, callerOf(response), id);
      const text = await readResult(context, run.id, handle);
      response.attachment(`${run.id}-${handle}.txt`).send(text);
    },
    async exportConversation(request, response) {
      const run = await findSeen(gateway, callerOf(response), request.params.id);
      const exported = await exportConversation(context, run);
      response.attachment(`${run.id}.json`).json(exported);
    },
  };
}
