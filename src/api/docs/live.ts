import { example, panel, shell } from './code';
import { curl, isStream } from './curl';
import { type Call, callsOf, contentOf, type Document, urlOf } from './document';
import { guide } from './guide';
import { type Html, html, type Part } from './html';
import { comparison } from './schema';

const EVENTS = 'ConversationEvent';

/** How a stream is followed, and taken up where it broke off. */
export function liveEvents(document: Document): Html {
  const variants = document.components.schemas[EVENTS]?.oneOf;
  const stream = callsOf(document).find(isResumable);
  return guide(
    'live-events',
    'Live events',
    html`<p><a href="#followConversation">A conversation</a> and <a href="#followInbox">the inbox</a> can be
followed as server-sent events, with <code>EventSource</code> or anything that reads a response line by line.
A comment line every 15 seconds keeps proxies awake.</p>
<p>A conversation's stream begins with a <code>snapshot</code> and closes after <code>done</code>.
<code>delta</code> holds everything so far of the message that is being written: show it in place of the one
before.</p>
${variants && comparison(variants)}
<h3>Resume</h3>
<p>Keep the <code>id</code> of the last event and send it as <code>Last-Event-ID</code>;
<code>EventSource</code> does so by itself. What follows that id is sent: nothing is missed, nothing comes
twice. If it is older than what is kept, the stream begins with a <code>snapshot</code> again. A
<code>204</code> says that the conversation is finished and nothing is left: stop there.</p>
<p>The inbox has no ids: each new stream begins with a <code>snapshot</code>.</p>`,
    stream && panels(urlOf(document), stream),
  );
}

function isResumable(call: Call): boolean {
  return isStream(call) && call.parameters.some(({ name }) => name === 'Last-Event-ID');
}

function panels(url: string, call: Call): Part {
  const stream = contentOf(call.responses[200]?.content);
  return [
    panel('Take up after event 3', shell(curl(url, call, { headers: { 'Last-Event-ID': '3' } }))),
    stream && panel('A stream', example(stream.example)),
  ];
}
