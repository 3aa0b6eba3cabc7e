/**
 * Checks whether the SDK's servers can be downloaded, before the SDK is installed, so that a build can start without
 * waiting for it.
 */
import { request } from 'node:https';

const HOST = 'temporal.download';
const TIMEOUT_MS = 10_000;
const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];

let pendingCheck;

/**
 * Resolves to why the host cannot be reached; undefined if it can be, or if only the SDK can tell, because it uses
 * proxies.
 */
export function findUnreachableReason(env = process.env) {
  pendingCheck ??= PROXY_VARIABLES.some((name) => env[name]) ? Promise.resolve() : checkHost();
  return pendingCheck;
}

function checkHost() {
  return new Promise((resolve) => {
    const headRequest = request({ host: HOST, method: 'HEAD', agent: false }, (response) => {
      response.resume();
      resolve(undefined);
    });
    const timer = setTimeout(() => headRequest.destroy(new Error(`no response from ${HOST}`)), TIMEOUT_MS);
    headRequest.on('error', (error) => resolve(error.message));
    headRequest.on('close', () => clearTimeout(timer));
    headRequest.end();
  });
}
