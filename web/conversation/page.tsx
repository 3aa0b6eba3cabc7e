import { useRef } from 'react';
import { Link } from 'wouter';
import { NO_WORKER } from '#core/words';
import { buttonClass } from '../design/button';
import { Trouble } from '../design/trouble';
import { useAgents } from '../live/use-agents';
import { useAnswerKeys } from '../question/keys';
import { useMay } from '../session/session';
import { useTitle } from '../shell/page-title';
import { Announcer } from './announcer';
import { Aside } from './aside';
import { Composer } from './composer';
import { Ending } from './ending';
import { Heading } from './heading';
import css from './page.module.css';
import { Timeline } from './timeline';
import { useFollowing } from './use-following';
import { useStory } from './use-story';
import { useSubQuestions } from './use-sub-questions';

/** One conversation: what was said and done, the question that is open, and a place to say more. */
export function ConversationPage({ id }: { id: string }) {
  const agents = useAgents().data ?? [];
  const isDelegating = agents.some(({ subagents }) => subagents.length > 0);
  const { known, error, refresh, retry } = useStory(id, isDelegating);
  const mayWrite = useMay('conversations:write');
  const story = known?.story;
  const title = story?.conversation.title || id;
  useTitle(title);
  const subQuestions = useSubQuestions(story?.conversation);
  const scroller = useRef<HTMLDivElement>(null);
  const { isBehind, toEnd } = useFollowing(scroller, story, subQuestions);
  useAnswerKeys(scroller);

  if (error) return <Refused message={error.message} isMissing={error.status === 404} onRetry={retry} />;
  if (!story) return <p className={css.loading}>Loading the conversation …</p>;
  return (
    <div className={css.page}>
      <Heading conversation={story.conversation} onCancelled={refresh} />
      <div className={css.columns}>
        <div className={css.middle}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <section ref={scroller} className={css.scroller} aria-label="Timeline" tabIndex={0}>
            <div className={css.column}>
              <h2 className="unseen">Timeline</h2>
              {known.isPartial && (
                <p className={css.partial} role="status">
                  {NO_WORKER} Until then, what was said before cannot be shown.
                </p>
              )}
              <Timeline story={story} subQuestions={subQuestions} />
              <Ending conversation={story.conversation} />
            </div>
          </section>
          {isBehind && (
            <button type="button" className={`${buttonClass()} ${css.newer}`} onClick={toEnd}>
              To the latest
            </button>
          )}
          {mayWrite && (
            <Composer conversation={story.conversation} entries={story.entries} onSent={refresh} />
          )}
        </div>
        <Aside conversation={story.conversation} />
      </div>
      <Announcer story={story} />
    </div>
  );
}

function Refused({
  message,
  isMissing,
  onRetry,
}: {
  message: string;
  isMissing: boolean;
  onRetry: () => void;
}) {
  return (
    <div className={css.refused}>
      <h1 className="unseen">Conversation</h1>
      <Trouble
        title={isMissing ? 'There is no such conversation' : 'This conversation cannot be shown'}
        {...(isMissing ? {} : { onRetry })}
      >
        <p>{message}</p>
        <Link href="/conversations">To all conversations</Link>
      </Trouble>
    </div>
  );
}
