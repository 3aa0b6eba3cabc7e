import { formatLocalTime, formatTimeAgo } from '#presentation/format-time';
import { useNow } from '../lib/clock';

/** Shows how long ago something happened, updated live. The tooltip has the exact time. */
export function TimeAgo({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatLocalTime(at)}>
      {formatTimeAgo(at, useNow())}
    </time>
  );
}
