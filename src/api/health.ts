import type { Context } from './context';
import { Refusal } from './errors';
import type { Handlers } from './routes';

export function health({ gateway, isLeaving }: Context): Pick<Handlers, 'getHealth' | 'getReadiness'> {
  return {
    getHealth: (_request, response) => void response.json({ status: 'ok' }),
    async getReadiness(_request, response) {
      if (isLeaving()) throw new Refusal('stopping', 'This process is about to end. Ask another one.');
      await gateway.ready();
      response.json({ status: 'ready' });
    },
  };
}
