import { Refusal } from './refusal';

const SENTENCES: [codes: RegExp, sentence: (host: string) => string][] = [
  [/^(ENOTFOUND|EAI_|ENODATA)/, (host) => `The host ${host} was not found.`],
  [/^ECONNREFUSED$/, (host) => `${host} refused the connection.`],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT)/, (host) => `${host} could not be reached.`],
  [/^UND_ERR_HEADERS_OVERFLOW$/, (host) => `${host} answered with more headers than are read here.`],
  [/^(Z_|ERR_.*BROTLI|ERR__ERROR_FORMAT)/, (host) => `The answer of ${host} could not be unpacked.`],
  [/^(EPROTO|ERR_SSL)/, (host) => `${host} does not speak https there.`],
  [/^(HPE_|HTTPParserError)/, (host) => `${host} did not answer as a web server does.`],
  [/CERT|ISSUER|ALTNAME|SIGNATURE/, (host) => `The certificate of ${host} is not valid.`],
  [/^(ECONNRESET|EPIPE|UND_ERR_(SOCKET|INFO|RES_))/, (host) => `${host} broke the connection off.`],
];

/** What went wrong on the way, without addresses and stacks: those tell of the network inside. */
export function troubleWith(host: string, error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  const known = SENTENCES.find(([codes]) => codes.test(String(code ?? name)));
  return new Refusal(known ? known[1](host) : `The request to ${host} failed.`);
}
