import type { RequestHandler } from 'express';
import { Refusal } from './errors';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Without keys, being on this machine is the only proof of being allowed. A web page in somebody's browser is on this
 * machine too: one whose name was made to point here shows in `Host`, one that calls across sites in `Origin` and
 * `Sec-Fetch-Site`.
 */
export const onlyFromHere: RequestHandler = (request, _response, next) => {
  const host = request.get('host') ?? '';
  if (!isHere(`http://${host}`)) {
    const shown = JSON.stringify(host.slice(0, 200));
    throw new Refusal('forbidden', `Parley answers without a key on this machine only, and not as ${shown}.`);
  }
  const origin = request.get('origin');
  if ((origin !== undefined && !isHere(origin)) || request.get('sec-fetch-site') === 'cross-site') {
    throw new Refusal(
      'forbidden',
      'Parley answers without a key on this machine only, and not to other web sites.',
    );
  }
  next();
};

function isHere(url: string): boolean {
  return URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);
}
