import { panel, shell } from './code';
import { curl, isIdempotencyKey } from './curl';
import { callsOf, type Document, urlOf } from './document';
import { guide } from './guide';
import { type Html, html } from './html';
import { callLink } from './link';

/** How a request is sent twice and has one effect. */
export function idempotency(document: Document): Html {
  const calls = callsOf(document).filter(({ parameters }) => parameters.some(isIdempotencyKey));
  const [first] = calls;
  const request = {
    body: { message: 'Plan our team offsite' },
    headers: { 'Idempotency-Key': 'order-4711' },
  };
  return guide(
    'idempotency',
    'Idempotency',
    html`<p>A connection may break before the reply arrives. Send the same request again, with the same
<code>Idempotency-Key</code>: it has one effect, and the repeat tells how things stand. Another body under a
key that was used is refused with
<a href="#error-idempotency_conflict"><code>idempotency_conflict</code></a>.</p>
<p>Take a new one for each thing you want done, and keep it for every try.</p>
<p>These calls take one:</p>
<ul class="calls">${calls.map((call) => html`<li>${callLink(call)}</li>`)}</ul>`,
    first && panel('Safe to send again', shell(curl(urlOf(document), first, request))),
  );
}
