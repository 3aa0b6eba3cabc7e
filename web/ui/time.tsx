import { formatLocalTime, formatTimeAgo } from '#presentation/format-time';
import { useNow } from '../lib/clock';

/** How long ago, kept up to date, with the moment itself for those who point at it. */
export function TimeAgo({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatLocalTime(at)}>
      {formatTimeAgo(at, useNow())}
    </time>
  );
}
