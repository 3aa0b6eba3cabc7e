import { ExternalLink } from 'lucide-react';
import type { Conversation } from '#contract/conversation';
import { buttonClass } from '../design/button';

interface Props {
  links: Conversation['links'];
  /** For the word, where there may be no room to show it. */
  wordClass?: string | undefined;
}

/** The workflow's own page. */
export function TemporalLink({ links, wordClass }: Props) {
  return (
    <a
      className={buttonClass('quiet')}
      href={links.temporal}
      target="_blank"
      rel="noopener noreferrer"
      title="Look at it in the Temporal UI (new tab)"
    >
      <span className={wordClass}>Temporal</span>
      <ExternalLink size={16} aria-hidden="true" />
      <span className="unseen"> UI (new tab)</span>
    </a>
  );
}
