import { Router } from 'express';
import { openApi } from '../contract/openapi';
import type { Context } from './context';
import { onlyMethods } from './errors';

/** The contract, for programs and for people. */
export function docs({ url }: Context): Router {
  const document = openApi(url);
  const router = Router();
  router
    .route('/openapi.json')
    .get((_request, response) => void response.json(document))
    .all(onlyMethods('GET'));
  return router;
}
