import type { ApiDeps } from '#api/dependencies';
import type { Principal } from '#api/middleware/authentication';
import { closeSession, openSession } from '#api/middleware/session-cookie';
import type { OperationHandlers } from '#api/router';
import type { Session } from '#contract/permissions';

export function sessionRoutes(deps: ApiDeps): Pick<OperationHandlers, 'openSession' | 'getSession' | 'closeSession'> {
  return {
    openSession({ caller }, response) {
      if (caller.key) openSession(deps, caller.key, response);
      response.json(sessionOf(caller));
    },
    getSession({ caller }, response) {
      response.json(sessionOf(caller));
    },
    closeSession(_request, response) {
      closeSession(deps, response);
      response.status(204).end();
    },
  };
}

function sessionOf({ name, scopes }: Principal): Session {
  return { name, scopes: [...scopes] };
}
