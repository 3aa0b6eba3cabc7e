import { agents } from './agents';
import { conversations } from './conversations';
import { events } from './events';
import { questions } from './questions';
import { type Options, settingsOf } from './settings';

/** A client of Parley's HTTP API, for browsers, Node and whatever else has `fetch`. Refusals are `ParleyError`s. */
export function createParley(options: Options) {
  const settings = settingsOf(options);
  return {
    ...conversations(settings),
    ...questions(settings),
    ...events(settings),
    ...agents(settings),
  };
}

export type Parley = ReturnType<typeof createParley>;
