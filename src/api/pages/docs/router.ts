import { createHash } from 'node:crypto';
import { Router } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { allowOnlyMethods } from '#api/middleware/errors';
import { buildOpenApiDocument } from '#contract/openapi/document';
import { renderDocsPage } from './page';
import { DOCS_STYLESHEET } from './stylesheet';

/** The contract, for programs and for people. Open to all: it says nothing about anybody's conversations. */
export function docsRouter({ url }: ApiDeps): Router {
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
    .all(allowOnlyMethods('GET'));
  router
    .route('/docs')
    .get((_request, response) => {
      page ??= renderDocsPage(read());
      response.set(BRIEFLY).set('Content-Security-Policy', POLICY).type('html').send(page);
    })
    .all(allowOnlyMethods('GET'));
  return router;
}

const BRIEFLY = { 'Cache-Control': 'public, max-age=300' };

/** The one stylesheet, the icon that is part of the page, and nothing else. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLESHEET).digest('base64')}'`,
  'img-src data:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
