import { exampleQuestion } from '#contract/operations/examples';
import { Scope } from '#contract/permissions';
import { PROBLEMS } from '#contract/problem';
import { validateAnswer } from '#core/questions/validate-answer';
import { type Html, type HtmlPart, html, renderParagraphs, renderProse } from '#infra/html';
import { anchorFor, operationLink, renderExample, renderGuide, renderPanel, renderShell } from './components';
import { type CurlRequest, curlCommand, isIdempotencyParameter, isStreamOperation } from './curl';
import {
  type DocsDocument,
  type DocsOperation,
  operationsOf,
  operationUrl,
  replyContent,
  scopesOf,
} from './openapi-document';
import { renderStatusBadge } from './operation';
import { renderComparison } from './schema';

/** What it is, and where. */
export function introductionSection(document: DocsDocument): Html {
  const { title, summary, description } = document.info;
  return html`<header class="row" id="introduction"><div class="text">
<p class="eyebrow">API reference</p>
<h1>${title}</h1>
<p class="lead">${summary}.</p>
${renderParagraphs(description)}
</div><div class="side">
${renderPanel('Base URL', operationUrl(document))}
<p class="download"><a href="/openapi.json">OpenAPI 3.1 document</a> <span class="note">for your tools and
generators</span></p>
</div></header>`;
}

interface QuickStartStep {
  operationId: string;
  title: string;
  request?: CurlRequest;
}

/** As the demonstration that runs without a model's key asks it. */
const QUICK_START_STEPS: QuickStartStep[] = [
  {
    operationId: 'startConversation',
    title: '1. Start a conversation',
    request: { body: { id: 'offsite', message: 'Plan our team offsite' } },
  },
  { operationId: 'getQuestion', title: '2. Read what it asks' },
  {
    operationId: 'answerQuestion',
    title: '3. Answer',
    request: { body: { answers: { q1: 'Seaside', q2: ['Workshops'] } } },
  },
];

export function quickStartSection(document: DocsDocument): Html {
  const calls = operationsOf(document);
  const panels = QUICK_START_STEPS.map(({ operationId: id, title, request }) => {
    const call = calls.find(({ operationId }) => operationId === id);
    return call && renderPanel(title, renderShell(curlCommand(operationUrl(document), call, request)));
  });
  return renderGuide(
    'start',
    'Start in one minute',
    html`<p>Three calls make a whole conversation.</p>
<ol class="steps">
<li><strong>Start it.</strong> Say what you want. The reply comes at once; the agent works on its own.</li>
<li><strong>Read what it asks.</strong> When a choice is yours the agent asks, and the conversation is
<code>waiting_for_input</code>. It can wait for days, and needs nothing running meanwhile. <code>latest</code>
is always the last question asked.</li>
<li><strong>Answer.</strong> By the <code>key</code> of each field: a label, or a list of labels where it says
<code>multiSelect</code>. A wrong label is refused, with those that would do.</li>
</ol>
<p>The agent then goes on, asks again if it must, and ends with a <code>result</code> in the
<a href="#schema-Conversation">Conversation</a>. To see it happen, <a href="#followConversation">follow it
live</a>; to see everything that waits for somebody, read <a href="#listInbox">the inbox</a>.</p>
<p class="note">Where no keys are set, on your own machine, leave the <code>Authorization</code> header out.</p>`,
    panels,
  );
}

/** How to say who you are, and what each scope opens. */
export function authenticationSection(document: DocsDocument): Html {
  return renderGuide(
    'authentication',
    'Authentication',
    html`<p>A request says who it is from in one of these ways.</p>
${renderSecuritySchemes(document)}
<h3 id="scopes">Scopes</h3>
<p>A call that names two scopes is content with either. A key that lacks them is told
<a href="#error-forbidden"><code>forbidden</code></a>; a conversation it may not see is not found.</p>
${renderScopes(operationsOf(document))}`,
    [renderPanel('With a key', renderShell(curlWithKey(operationUrl(document))))],
  );
}

const curlWithKey = (url: string) =>
  `export PARLEY_KEY=parley_…\n\ncurl ${url}/v1/session \\\n  -H "Authorization: Bearer $PARLEY_KEY"`;

function renderSecuritySchemes({ components }: DocsDocument): Html {
  const rows = Object.values(components.securitySchemes).map(({ scheme, in: place, name, description }) => {
    const header = scheme
      ? html`<code>Authorization: Bearer</code>`
      : html`<code>${name}</code> <span class="mark">${place}</span>`;
    return html`<tr><th scope="row">${header}</th><td>${renderProse(description)}</td></tr>`;
  });
  return html`<table class="fields"><colgroup><col class="name"><col></colgroup><thead class="unseen"><tr><th scope="col">Where</th><th scope="col">What it is</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function renderScopes(calls: readonly DocsOperation[]): Html {
  const scopes = Scope.options.map((scope) => ({
    name: html`<code>${scope}</code>`,
    calls: calls.filter((call) => scopesOf(call)?.includes(scope)),
  }));
  const any = { name: html`any key`, calls: calls.filter((call) => scopesOf(call)?.length === 0) };
  const none = { name: html`no key`, calls: calls.filter((call) => scopesOf(call) === 'anybody') };
  return html`<table class="plain scopes"><thead><tr><th scope="col">Scope</th><th scope="col">Opens</th></tr></thead>
<tbody>${[...scopes, any, none].map(
    ({ name, calls: opened }) =>
      html`<tr><th scope="row">${name}</th><td>${opened.length > 0 ? html`<ul class="calls">${opened.map((call) => html`<li>${operationLink(call)}</li>`)}</ul>` : 'Everything, and every conversation.'}</td></tr>`,
  )}</tbody></table>`;
}

/** How a request is sent twice and has one effect. */
export function idempotencySection(document: DocsDocument): Html {
  const calls = operationsOf(document).filter(({ parameters }) => parameters.some(isIdempotencyParameter));
  const [first] = calls;
  const request = {
    body: { message: 'Plan our team offsite' },
    headers: { 'Idempotency-Key': 'order-4711' },
  };
  return renderGuide(
    'idempotency',
    'Idempotency',
    html`<p>A connection may break before the reply arrives. Send the same request again, with the same
<code>Idempotency-Key</code>: it has one effect, and the repeat tells how things stand. Another body under a
key that was used is refused with
<a href="#error-idempotency_conflict"><code>idempotency_conflict</code></a>.</p>
<p>Take a new one for each thing you want done, and keep it for every try.</p>
<p>These calls take one:</p>
<ul class="calls">${calls.map((call) => html`<li>${operationLink(call)}</li>`)}</ul>`,
    first && renderPanel('Safe to send again', renderShell(curlCommand(operationUrl(document), first, request))),
  );
}

const EVENTS = 'ConversationEvent';

/** How a stream is followed, and taken up where it broke off. */
export function eventsSection(document: DocsDocument): Html {
  const variants = document.components.schemas[EVENTS]?.oneOf;
  const stream = operationsOf(document).find(isResumable);
  return renderGuide(
    'live-events',
    'Live events',
    html`<p><a href="#followConversation">A conversation</a> and <a href="#followInbox">the inbox</a> can be
followed as server-sent events, with <code>EventSource</code> or anything that reads a response line by line.
A comment line every 15 seconds keeps proxies awake.</p>
<p>A conversation's stream begins with a <code>snapshot</code> and closes after <code>done</code>.
<code>delta</code> holds everything so far of the message that is being written: show it in place of the one
before.</p>
${variants && renderComparison(variants)}
<h3>Resume</h3>
<p>Keep the <code>id</code> of the last event and send it as <code>Last-Event-ID</code>;
<code>EventSource</code> does so by itself. What follows that id is sent: nothing is missed, nothing comes
twice. If it is older than what is kept, the stream begins with a <code>snapshot</code> again. A
<code>204</code> says that the conversation is finished and nothing is left: stop there.</p>
<p>The inbox has no ids: each new stream begins with a <code>snapshot</code>.</p>`,
    stream && panels(operationUrl(document), stream),
  );
}

function isResumable(call: DocsOperation): boolean {
  return isStreamOperation(call) && call.parameters.some(({ name }) => name === 'Last-Event-ID');
}

function panels(url: string, call: DocsOperation): HtmlPart {
  const stream = replyContent(call.responses[200]?.content);
  return [
    renderPanel('Take up after event 3', renderShell(curlCommand(url, call, { headers: { 'Last-Event-ID': '3' } }))),
    stream && renderPanel('A stream', renderExample(stream.example)),
  ];
}

/** How refusals look, and every code there is. */
export function problemsSection(): Html {
  return renderGuide(
    'errors',
    'Errors',
    html`<p>What goes wrong is told as <code>application/problem+json</code> (RFC 9457), always in the shape
of <a href="#schema-Problem">Problem</a>. Go by <code>code</code>: it is stable. <code>detail</code> is for
people. Where a request has faults, <code>errors</code> names all of them at once, each with its
<code>path</code> and, where there are only so many, what is <code>allowed</code>.</p>
<p>Too late to answer is a <code>409</code> that carries the <code>question</code> with the outcome that
stands. After <code>429</code> and <code>503</code>, <code>Retry-After</code> says how many seconds to
wait.</p>
${renderProblemTable()}`,
    renderPanel(html`${renderStatusBadge(400)}<span>application/problem+json</span>`, renderExample(exampleProblem())),
  );
}

function renderProblemTable(): Html {
  const rows = Object.entries(PROBLEMS).sort(([, [left]], [, [right]]) => left - right);
  return html`<table class="plain codes"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(([code, [status, title]]) => html`<tr id="${anchorFor.problem(code)}"><td>${renderStatusBadge(status)}</td><th scope="row"><code>${code}</code></th><td>${title}</td></tr>`)}</tbody></table>`;
}

/** A misspelt label, as it is really refused. */
function exampleProblem(): object {
  const code = 'invalid_answer';
  const [status, title] = PROBLEMS[code];
  const checked = validateAnswer(exampleQuestion, { answer: 'Seeside' });
  const errors = checked.ok ? [] : checked.issues;
  const detail = 'The answer was not taken, and the question is still open. …';
  return { type: `urn:parley:problem:${code}`, title, status, code, detail, errors };
}
