import { createHash } from 'node:crypto';
import { Router } from 'express';
import type { Context } from '#api/context';
import { onlyMethods } from '#api/errors';
import { buildOpenApiDocument } from '#contract/openapi/document';
import { renderDocs } from './page';
import { STYLE } from './style/style';

/** The contract, for programs and for people. Open to all: it says nothing about anybody's conversations. */
export function docs({ url }: Context): Router {
  // Made when somebody first asks: most APIs are started and stopped without.
  let document: ReturnType<typeof buildOpenApiDocument> | undefined;
  let page: string | undefined;
  const read = () => {
    document ??= buildOpenApiDocument(url);
    return document;
  };
  const router = Router();
  router
    .route('/openapi.json')
    .get((_request, response) => void response.set(BRIEFLY).json(read()))
    .all(onlyMethods('GET'));
  router
    .route('/docs')
    .get((_request, response) => {
      page ??= renderDocs(read());
      response.set(BRIEFLY).set('Content-Security-Policy', POLICY).type('html').send(page);
    })
    .all(onlyMethods('GET'));
  return router;
}

const BRIEFLY = { 'Cache-Control': 'public, max-age=300' };

/** The one stylesheet, the icon that is part of the page, and nothing else. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
