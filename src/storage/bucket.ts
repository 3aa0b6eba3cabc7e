import type { S3Client } from '@aws-sdk/client-s3';
import type { Place } from '#contract/place';
import { denied } from './bucket-trouble';
import { checkedName, TRIAL } from './names';
import type { Store } from './store';

type Sdk = typeof import('@aws-sdk/client-s3');

export interface S3Settings {
  /** Of what is not AWS itself. */
  endpoint: string | undefined;
  /** The variable that names the bucket. */
  setBy: 'PARLEY_STORAGE' | 'PARLEY_EXPORTS';
  environment: Readonly<Record<string, string | undefined>>;
}

/** With the attempts that the client makes by itself. */
const DEADLINE_MS = 30_000;

/** Objects in a bucket of S3, or of whatever speaks its protocol. */
export function bucketStore(place: Place & { kind: 'bucket' }, settings: S3Settings): Store {
  let client: Promise<{ sdk: Sdk; s3: S3Client }> | undefined;
  const connect = () => {
    client ??= createClient(settings);
    return client;
  };
  const objectOf = (name: string) => ({
    Bucket: place.bucket,
    Key: [place.prefix, checkedName(name)].filter((part) => part !== '').join('/'),
  });
  const store: Store = {
    async put(name, bytes) {
      const object = { ...objectOf(name), Body: bytes, ContentType: typeOf(name) };
      const { sdk, s3 } = await connect();
      await s3
        .send(new sdk.PutObjectCommand(object), { abortSignal: AbortSignal.timeout(DEADLINE_MS) })
        .catch((error: unknown) => denied(place, settings, 'write to', error));
    },
    async get(name) {
      const object = objectOf(name);
      const { sdk, s3 } = await connect();
      try {
        const signal = { abortSignal: AbortSignal.timeout(DEADLINE_MS) };
        const { Body: body } = await s3.send(new sdk.GetObjectCommand(object), signal);
        return await body?.transformToByteArray();
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return undefined;
        return denied(place, settings, 'read from', error);
      }
    },
    async tryOut(how) {
      // It stays there: nobody need be let to delete, nor to read what is exported.
      if (how === 'write') await store.put(TRIAL, new Uint8Array());
      if (how === 'read' || settings.setBy === 'PARLEY_STORAGE') await store.get(TRIAL);
    },
    close: () => void client?.then(({ s3 }) => s3.destroy()),
  };
  return store;
}

function typeOf(name: string): string {
  return name.endsWith('.json') ? 'application/json' : 'application/octet-stream';
}

/** Loaded by those who use it: it takes 0.15 s and 15 MB. */
async function createClient({ endpoint, environment }: S3Settings): Promise<{ sdk: Sdk; s3: S3Client }> {
  const sdk = await import('@aws-sdk/client-s3');
  const region = environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
  // Others know neither the names of hosts nor the checksums that AWS has lately, and mostly no regions.
  const elsewhere = {
    endpoint,
    forcePathStyle: true,
    region: region ?? 'us-east-1',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const;
  const credentials = credentialsIn(environment);
  const s3 = new sdk.S3Client({
    ...(endpoint ? elsewhere : region ? { region } : {}),
    ...(credentials ? { credentials } : {}),
    requestHandler: { connectionTimeout: 5_000 },
  });
  return { sdk, s3 };
}

/** Where none are set, the SDK looks for a role: of the machine, the container, or the pod. */
function credentialsIn(environment: S3Settings['environment']) {
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN,
  } = environment;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}) };
}
