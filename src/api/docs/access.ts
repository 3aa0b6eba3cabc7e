import type { Operation } from '#contract/operations/operation';
import { OPERATIONS } from '#contract/operations/table';
import type { Call } from './document';
import { between, type Html, html } from './html';

const KNOWN: Record<string, Operation | undefined> = OPERATIONS;

/** Who may make a call; nothing where the contract does not know it. */
export function allowedOf({ operationId }: Call): Operation['allowed'] | undefined {
  return KNOWN[operationId]?.allowed;
}

/** What it takes to make a call, in a line. */
export function accessLine(call: Call): Html {
  const allowed = allowedOf(call);
  const isSigned = KNOWN[call.operationId]?.orSigned;
  return html`<p class="access"><span class="label">Access</span> ${keyFor(allowed)}${isSigned && ', or a signature where the agent sets a secret'}</p>`;
}

function keyFor(allowed: Operation['allowed'] | undefined): Html {
  if (allowed === undefined) return html`As the <a href="#authentication">key</a> allows`;
  if (allowed === 'anybody') return html`No key needed`;
  if (allowed.length === 0) return html`Any <a href="#authentication">key</a>`;
  const scopes = allowed.map((scope) => html`<a href="#scopes"><code>${scope}</code></a>`);
  return html`${between(' or ', scopes)}`;
}
