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
  const getDocument = () => {
    document ??= buildOpenApiDocument(url);
    return document;
  };
  const router = Router();
  router
    .route('/openapi.json')
    .get((_request, response) => void response.set(SHORT_CACHE_HEADERS).json(getDocument()))
    .all(allowOnlyMethods('GET'));
  router
    .route('/docs')
    .get((_request, response) => {
      page ??= renderDocsPage(getDocument());
      response.set(SHORT_CACHE_HEADERS).set('Content-Security-Policy', CONTENT_SECURITY_POLICY).type('html').send(page);
    })
    .all(allowOnlyMethods('GET'));
  return router;
}

const SHORT_CACHE_HEADERS = { 'Cache-Control': 'public, max-age=300' };

/** The one stylesheet, the icon that is part of the page, and nothing else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(DOCS_STYLESHEET).digest('base64')}'`,
  'img-src data:',
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');
