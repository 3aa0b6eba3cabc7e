import { programFor } from './toolchain';

/** The Chromium that the set-up found for the end-to-end tests. */
export function chromium(): string {
  return programFor(
    'chromium',
    'There is no Chromium here. `npm test` finds or gets one; or set PARLEY_CHROMIUM.',
  );
}
