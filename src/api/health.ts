import type { Context } from './context';
import { Refusal } from './errors';
import type { Handlers } from './routes';

export function health({
  gateway,
  isLeaving,
  metrics,
}: Context): Pick<Handlers, 'getHealth' | 'getReadiness' | 'getMetrics'> {
  return {
    getHealth: (_request, response) => void response.json({ status: 'ok' }),
    async getReadiness(_request, response) {
      if (isLeaving()) throw new Refusal('stopping', 'This process is about to end. Ask another one.');
      await gateway.ready();
      response.json({ status: 'ready' });
    },
    async getMetrics(_request, response) {
      response.setHeader('Cache-Control', 'no-store');
      response.type(metrics.contentType).send(await metrics.text());
    },
  };
}
