import { type Html, html, type Part } from './html';
import { hash } from './link';

/** A section that explains: words on the left, what they look like on the right. */
export function guide(id: string, title: string, text: Part, side: Part): Html {
  return html`<section class="row" id="${id}" aria-labelledby="${id}-title"><div class="text">
<h2 id="${id}-title">${title} ${hash(id, title)}</h2>
${text}
</div><div class="side">${side}</div></section>
`;
}
