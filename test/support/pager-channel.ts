import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import type { Channel, OutgoingNotification, ResolvedCopy } from '#channels/channel';
import { InboundError } from '#channels/inbound';

const PagerEnvironment = z.object({
  PAGER_TOKEN: z.string().min(4, 'must be at least 4 characters').optional(),
  PAGER_LINE: z.string().optional(),
});

interface PagerSettings {
  token: string;
}

/** What pagers were sent. */
export interface PagerTraffic {
  pages: OutgoingNotification[];
  updates: ResolvedCopy[];
}

/** A whole channel in one file, as somebody would add one: pages people, and accepts what they key in. */
export function createPagerChannel({ pages, updates }: PagerTraffic): Channel<PagerSettings> {
  return {
    name: 'pager',
    target: { pattern: /^\d{3,6}$/, example: 'the number of a pager as 4711', forms: ['number'] },
    label: 'Night Pager',
    environment: PagerEnvironment,
    requires: [['PAGER_TOKEN', 'PAGER_LINE', 'pages go out by a line']],
    readSettings: ({ PAGER_TOKEN: token }: z.infer<typeof PagerEnvironment>) => (token ? { token } : undefined),
    setupVariables: ['PAGER_TOKEN', 'PAGER_LINE'],
    createSender: () => ({
      name: 'pager',
      async send(notification) {
        pages.push(notification);
        return { page: String(pages.length) };
      },
      remind: async (_notification, copy) => copy,
      async updateCopy(copy) {
        updates.push(copy);
      },
      test: async (target) => `Paged ${target || 'nobody'}.`,
    }),
    createInboundRoutes({ token }, inbound) {
      const onKeyedIn: RequestHandler = async (request, response) => {
        if (request.get('authorization') !== token) throw new InboundError('unauthenticated', 'Send the token.');
        const { person, conversationId, questionId, answer } = request.body;
        const result = await inbound.submitAnswer({
          kind: 'answer',
          person,
          via: 'pager',
          conversationId,
          questionId,
          content: { answer },
          receivedAt: inbound.now(),
          identity: [conversationId, questionId, person],
        });
        response.json({ status: result.status });
      };
      return [{ path: '/pager/answers', handlers: [express.json(), onKeyedIn] }];
    },
    findPersonAt: (target) => (target === '4711' ? 'maria' : undefined),
    findAgentWarnings: () => ['a pager shows 80 characters'],
    test: { describeInbound: (_settings, publicUrl) => [`The line has to call ${publicUrl}/pager/answers`] },
  };
}
