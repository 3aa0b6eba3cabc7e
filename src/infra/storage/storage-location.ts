import { parsedText } from '#contract/error-messages';

/** Location of objects outside of Temporal: a folder that all workers and APIs share, or a bucket. */
export type StorageLocation = { kind: 'folder'; path: string } | { kind: 'bucket'; bucket: string; prefix: string };

const LOCATION_FORMAT_HELP = 'must be s3://bucket, s3://bucket/some/prefix or file:///some/folder';

export const StorageLocation = parsedText((text): StorageLocation | string => {
  const bucket = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?$/.exec(text);
  if (bucket) return { kind: 'bucket', bucket: bucket[1] ?? '', prefix: (bucket[2] ?? '').replace(/\/+$/, '') };
  const folder = /^file:\/\/(\/[^?#]+)$/.exec(text);
  if (!folder) return LOCATION_FORMAT_HELP;
  const path = decodePath(folder[1] ?? '');
  return path === undefined ? `${LOCATION_FORMAT_HELP}; write % in a folder name as %25` : { kind: 'folder', path };
});

function decodePath(text: string): string | undefined {
  try {
    return decodeURI(text);
  } catch {
    return undefined;
  }
}
