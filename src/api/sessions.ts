import type { Session } from '#contract/permissions';
import { type Caller, callerOf } from './caller';
import type { Context } from './context';
import type { Handlers } from './routes';
import { closeSession, openSession } from './session-cookie';

export function sessions(context: Context): Pick<Handlers, 'openSession' | 'getSession' | 'closeSession'> {
  return {
    openSession(_request, response) {
      const caller = callerOf(response);
      if (caller.key) openSession(context, caller.key, response);
      response.json(sessionOf(caller));
    },
    getSession(_request, response) {
      response.json(sessionOf(callerOf(response)));
    },
    closeSession(_request, response) {
      closeSession(context, response);
      response.status(204).end();
    },
  };
}

function sessionOf({ name, scopes }: Caller): Session {
  return { name, scopes: [...scopes] };
}
