import type { Session } from '../contract/access';
import { callerOf } from './caller';
import type { Context } from './context';
import type { Handlers } from './routes';
import { closeSession, openSession } from './session-cookie';

export function sessions(context: Context): Pick<Handlers, 'openSession' | 'getSession' | 'closeSession'> {
  return {
    openSession(_request, response) {
      const { name, scopes, key } = callerOf(response);
      if (key) openSession(context, key, response);
      response.json({ name, scopes: [...scopes] } satisfies Session);
    },
    getSession(_request, response) {
      const { name, scopes } = callerOf(response);
      response.json({ name, scopes: [...scopes] } satisfies Session);
    },
    closeSession(_request, response) {
      closeSession(context, response);
      response.status(204).end();
    },
  };
}
