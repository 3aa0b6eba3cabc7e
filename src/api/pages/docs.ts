import path from 'node:path';
import compression from 'compression';
import { Router } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { allowOnlyMethods } from '#api/middleware/errors';
import { buildOpenApiDocument } from '#contract/openapi/document';
import { renderProblemsPage } from './problems';
import { servePage } from './web-app';

/** Serves the API reference, for programs and for people. Needs no key, since it is the same for every caller. */
export function docsRouter({ url, webFolder }: ApiDeps): Router {
  // Built at the first request: most processes never need it.
  let document: ReturnType<typeof buildOpenApiDocument> | undefined;
  const router = Router();
  // Unlike other replies of the API, these hold no secret that their length could reveal.
  router.use(['/openapi.json', '/docs'], compression());
  router
    .route('/openapi.json')
    .get((_request, response) => {
      document ??= buildOpenApiDocument(url);
      response.set('Cache-Control', 'public, max-age=300').json(document);
    })
    .all(allowOnlyMethods('GET'));
  router
    .route('/docs/errors')
    .get((_request, response) => {
      const base = new URL(url).pathname.replace(/\/$/, '');
      response.set('Content-Security-Policy', PROBLEMS_POLICY).type('html').send(renderProblemsPage(base));
    })
    .all(allowOnlyMethods('GET'));
  router
    .route('/docs')
    .get(servePage(path.join(webFolder, 'docs/index.html'), DOCS_POLICY))
    .all(allowOnlyMethods('GET'));
  return router;
}

const PROBLEMS_POLICY = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'";

/**
 * Allows only its own files. Redoc's two inline styles are allowed by hash: an empty one, which it fills rule by rule,
 * and that of its scroll bars. Trusted types are not required, since Redoc makes HTML of Markdown.
 */
const DOCS_POLICY = [
  "default-src 'none'; script-src 'self'",
  "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='",
  "img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');
