import type { Place } from '#contract/place';
import type { S3Settings } from './bucket';
import { StorageError } from './store';

/** Whom it does not know is told by each store in a word of its own: the last is versitygw's. */
const KEY = [
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'CredentialsProviderError',
  'XAdminUserNotFound',
];

/** Throws, in words that say what to do. */
export function denied(
  { bucket }: Place & { kind: 'bucket' },
  { endpoint, setBy }: Pick<S3Settings, 'endpoint' | 'setBy'>,
  what: string,
  error: unknown,
): never {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  const said = message.replace(/^.*error wrapper for (Error: )?/, '').replace(/\.$/, '');
  const at = endpoint ? ` at ${endpoint}` : '';
  const { httpStatusCode: status } = $metadata ?? {};
  throw new StorageError(
    `Could not ${what} the bucket ${bucket}${at} (${name === 'Error' ? said : `${name}: ${said}`}). ${adviceOn(name, status, { endpoint, setBy })}`,
    status === 403 || status === 404,
  );
}

function adviceOn(
  name: string,
  status: number | undefined,
  { endpoint, setBy }: Pick<S3Settings, 'endpoint' | 'setBy'>,
): string {
  if (name === 'NoSuchBucket') return `Make the bucket, or put its right name into ${setBy}.`;
  if (KEY.includes(name)) return 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the role.';
  if (status === 301 || name === 'AuthorizationHeaderMalformed' || /region/i.test(name))
    return 'Check AWS_REGION: the bucket is in another region.';
  if (status === 403)
    return 'Its policy has to allow s3:GetObject, s3:PutObject and s3:ListBucket: see docs/storage.md.';
  return endpoint
    ? 'Check that it is up, and PARLEY_S3_ENDPOINT.'
    : 'Check the network, and AWS_REGION; a store that is not AWS needs PARLEY_S3_ENDPOINT.';
}
