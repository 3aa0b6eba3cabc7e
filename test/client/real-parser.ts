/** The package itself, as environment.js has loaded it. */
jest.mock(
  'eventsource-parser',
  () => (globalThis as unknown as { eventsourceParser: object }).eventsourceParser,
);
