import type { Question } from '#contract/question';
import { moment, until } from '#core/times';
import { urgencyOf } from '#core/urgency';
import { useNow } from '../design/clock';
import { Pill } from '../design/pill';

const THEN: Record<Question['onTimeout'], string> = {
  continue: 'then the agent goes on without an answer',
  default: 'then the default is taken',
  fail: 'then the conversation fails',
  wait: 'it waits beyond it',
};

/** By when, as "due in 3 h", and what happens then for those who point at it. */
export function Deadline({ question }: { question: Question }) {
  const now = useNow();
  const { expiresAt, onTimeout } = question;
  if (expiresAt === null) return <Pill>No deadline</Pill>;
  const urgency = urgencyOf(question, now);
  const tone = urgency === 'calm' ? 'plain' : urgency === 'soon' ? 'warn' : 'danger';
  const text = urgency === 'late' ? 'deadline passed' : `due ${until(expiresAt, now)}`;
  return (
    <Pill tone={tone}>
      <time dateTime={expiresAt} title={`${moment(expiresAt)}: ${THEN[onTimeout]}`}>
        {text}
      </time>
    </Pill>
  );
}
