import type { Context } from './context';
import type { Handlers } from './routes';

export function health({ gateway }: Context): Pick<Handlers, 'getHealth' | 'getReadiness'> {
  return {
    getHealth: (_request, response) => void response.json({ status: 'ok' }),
    async getReadiness(_request, response) {
      await gateway.ready();
      response.json({ status: 'ready' });
    },
  };
}
