import { panel, shell } from './code';
import { curl, type Request } from './curl';
import { callsOf, type Document, urlOf } from './document';
import { guide } from './guide';
import { type Html, html, paragraphs } from './html';

/** What it is, and where. */
export function introduction(document: Document): Html {
  const { title, summary, description } = document.info;
  return html`<header class="row" id="introduction"><div class="text">
<p class="eyebrow">API reference</p>
<h1>${title}</h1>
<p class="lead">${summary}.</p>
${paragraphs(description)}
</div><div class="side">
${panel('Base URL', urlOf(document))}
<p class="download"><a href="/openapi.json">OpenAPI 3.1 document</a> <span class="note">for your tools and
generators</span></p>
</div></header>`;
}

interface Step {
  call: string;
  title: string;
  request?: Request;
}

/** As the demonstration that runs without a model's key asks it. */
const STEPS: Step[] = [
  {
    call: 'startConversation',
    title: '1. Start a conversation',
    request: { body: { id: 'offsite', message: 'Plan our team offsite' } },
  },
  { call: 'getQuestion', title: '2. Read what it asks' },
  {
    call: 'answerQuestion',
    title: '3. Answer',
    request: { body: { answers: { q1: 'Seaside', q2: ['Workshops'] } } },
  },
];

export function quickStart(document: Document): Html {
  const calls = callsOf(document);
  const panels = STEPS.map(({ call: id, title, request }) => {
    const call = calls.find(({ operationId }) => operationId === id);
    return call && panel(title, shell(curl(urlOf(document), call, request)));
  });
  return guide(
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
