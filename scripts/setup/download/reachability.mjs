/** Whether the SDK's servers can be downloaded at all: asked before the SDK is installed, so that a build need not wait for it. */
import { request } from 'node:https';

const HOST = 'temporal.download';
const PATIENCE = 10_000;
const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

let asked;

/** Resolves to why the host cannot be reached, or undefined where it can be, or where only the SDK, which uses proxies, can tell. */
export function whyUnreachable(env = process.env) {
  asked ??= PROXIES.some((name) => env[name]) ? Promise.resolve() : ask();
  return asked;
}

function ask() {
  return new Promise((resolve) => {
    const asking = request({ host: HOST, method: 'HEAD', agent: false }, (response) => {
      response.resume();
      resolve(undefined);
    });
    const late = setTimeout(() => asking.destroy(new Error(`no reply from ${HOST}`)), PATIENCE);
    asking.on('error', (error) => resolve(error.message));
    asking.on('close', () => clearTimeout(late));
    asking.end();
  });
}
