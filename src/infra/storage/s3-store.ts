import type { S3Client } from '@aws-sdk/client-s3';
import { checkObjectKey, type ObjectStore, PROBE_KEY, StorageError } from './object-store';
import type { StorageLocation } from './storage-location';

type S3Sdk = typeof import('@aws-sdk/client-s3');

export interface S3Settings {
  /** Endpoint of a store other than AWS. */
  endpoint: string | undefined;
  /** The environment variable that names the bucket, for errors. */
  variable: 'PARLEY_STORAGE' | 'PARLEY_EXPORTS';
  environment: Readonly<Record<string, string | undefined>>;
}

/** Includes the client's own retries. */
const S3_TIMEOUT_MS = 30_000;

/** Stores objects in a bucket of S3 or of a compatible store. */
export function createS3Store(location: StorageLocation & { kind: 'bucket' }, settings: S3Settings): ObjectStore {
  let client: Promise<{ sdk: S3Sdk; s3: S3Client }> | undefined;
  const connect = () => (client ??= createS3Client(settings));
  const objectRef = (name: string) => ({
    Bucket: location.bucket,
    Key: [location.prefix, checkObjectKey(name)].filter((part) => part !== '').join('/'),
  });
  const store: ObjectStore = {
    async put(name, bytes) {
      const object = { ...objectRef(name), Body: bytes, ContentType: contentTypeOf(name) };
      const { sdk, s3 } = await connect();
      await s3
        .send(new sdk.PutObjectCommand(object), { abortSignal: AbortSignal.timeout(S3_TIMEOUT_MS) })
        .catch((error: unknown) => throwS3Error(location, settings, 'write to', error));
    },
    async get(name) {
      const object = objectRef(name);
      const { sdk, s3 } = await connect();
      try {
        const requestOptions = { abortSignal: AbortSignal.timeout(S3_TIMEOUT_MS) };
        const { Body: body } = await s3.send(new sdk.GetObjectCommand(object), requestOptions);
        return await body?.transformToByteArray();
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return undefined;
        return throwS3Error(location, settings, 'read from', error);
      }
    },
    async probe(access) {
      // The object stays, and a write probe of exports does not read it back: neither permission is required.
      if (access === 'write') await store.put(PROBE_KEY, new Uint8Array());
      if (access === 'read' || settings.variable === 'PARLEY_STORAGE') await store.get(PROBE_KEY);
    },
    close: () => void client?.then(({ s3 }) => s3.destroy()),
  };
  return store;
}

function contentTypeOf(name: string): string {
  return name.endsWith('.json') ? 'application/json' : 'application/octet-stream';
}

/** Loads the SDK only when used, as it takes 0.15 s and 15 MB. */
async function createS3Client({ endpoint, environment }: S3Settings): Promise<{ sdk: S3Sdk; s3: S3Client }> {
  const sdk = await import('@aws-sdk/client-s3');
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
  // Other stores support neither virtual-hosted buckets nor the newer checksums, and most have no regions.
  const nonAwsOptions = {
    endpoint,
    forcePathStyle: true,
    region: region ?? 'us-east-1',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const;
  const credentials = readCredentials(environment);
  const s3 = new sdk.S3Client({
    ...(endpoint ? nonAwsOptions : region ? { region } : {}),
    ...(credentials ? { credentials } : {}),
    requestHandler: { connectionTimeout: 5_000 },
  });
  return { sdk, s3 };
}

/** Reads credentials from the environment. Without them, the SDK looks for a role of the machine, container or pod. */
function readCredentials(environment: S3Settings['environment']) {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = environment;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}) };
}

/** Error names of the different stores for invalid credentials. The last is versitygw's. */
const CREDENTIAL_ERRORS =
  /^(InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken|CredentialsProviderError|XAdminUserNotFound)$/;

function throwS3Error(
  { bucket }: StorageLocation & { kind: 'bucket' },
  settings: S3Settings,
  action: string,
  error: unknown,
): never {
  const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  const detail = message.replace(/^.*error wrapper for (Error: )?/, '').replace(/\.$/, '');
  const reason = name === 'Error' ? detail : `${name}: ${detail}`;
  const endpointSuffix = settings.endpoint ? ` at ${settings.endpoint}` : '';
  const { httpStatusCode: status } = $metadata ?? {};
  const advice = adviseOnS3Error(name, status, settings);
  throw new StorageError(
    `Could not ${action} the bucket ${bucket}${endpointSuffix} (${reason}). ${advice}`,
    status === 403 || status === 404,
  );
}

function adviseOnS3Error(name: string, status: number | undefined, { endpoint, variable }: S3Settings): string {
  if (name === 'NoSuchBucket') return `Create the bucket, or correct its name in ${variable}.`;
  if (CREDENTIAL_ERRORS.test(name)) return 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the role.';
  if (status === 301 || name === 'AuthorizationHeaderMalformed' || /region/i.test(name))
    return 'Check AWS_REGION: the bucket is in another region.';
  if (status === 403)
    return 'The policy must allow s3:GetObject, s3:PutObject and s3:ListBucket: see docs/operations/storage.md.';
  return endpoint
    ? 'Check that it is running, and check PARLEY_S3_ENDPOINT.'
    : 'Check the network and AWS_REGION. Stores other than AWS need PARLEY_S3_ENDPOINT.';
}
