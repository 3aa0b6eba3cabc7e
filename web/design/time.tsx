import { ago, moment, until } from '#core/times';
import { useNow } from './clock';

/** How long ago, kept up to date, with the moment itself for those who point at it. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={moment(at)}>
      {ago(at, useNow())}
    </time>
  );
}

export function Until({ at }: { at: string }) {
  return (
    <time dateTime={at} title={moment(at)}>
      {until(at, useNow())}
    </time>
  );
}
