import type { IncomingMessage, ServerResponse } from 'node:http';
import { html } from './docs/html';
import { problemOf, RETRY_AFTER_SECONDS } from './errors';

const DETAIL = 'Parley is starting. Nothing was accepted: send it again in a moment.';

/** For whoever comes before there is anything behind the door. A page that was asked for in a browser comes back by itself. */
export function tellStarting({ headers, method }: IncomingMessage, response: ServerResponse): void {
  const isPage = headers.accept?.includes('text/html') ?? false;
  response
    .writeHead(503, {
      'Retry-After': RETRY_AFTER_SECONDS,
      'Cache-Control': 'no-store',
      'Content-Type': isPage ? 'text/html; charset=utf-8' : 'application/problem+json; charset=utf-8',
    })
    .end(isPage ? page(method) : JSON.stringify(problemOf('temporal_unavailable', DETAIL)));
}

/** What was sent is sent again by a reload, and by nothing else: to come back without it would lose it. */
function page(method = 'GET'): string {
  const isSent = !['GET', 'HEAD'].includes(method);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Parley is starting</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${isSent ? '' : html`<meta http-equiv="refresh" content="${RETRY_AFTER_SECONDS}">`}
</head>
<body style="font: 1.1rem/1.5 system-ui, sans-serif; max-width: 32rem; margin: 20vh auto; padding: 0 1.5rem">
<h1 style="font-size: 1.5rem">Parley is starting</h1>
<p>${isSent ? 'Nothing was accepted yet. Reload this page in a moment, and what you entered is sent again.' : 'This page comes back by itself in a moment.'}</p>
</body>
</html>
`.toString();
}
