import { z } from 'zod';

/** Where objects are kept outside of Temporal: a folder that all workers and APIs see, or a bucket. */
export type Place = { kind: 'folder'; path: string } | { kind: 'bucket'; bucket: string; prefix: string };

const HOW = 'must be s3://bucket, s3://bucket/some/prefix or file:///some/folder';

export const Place = z.string().transform((text, context): Place => {
  const fault = () => {
    context.addIssue({ code: 'custom', message: HOW });
    return z.NEVER;
  };
  const bucket = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?$/.exec(text);
  if (bucket)
    return { kind: 'bucket', bucket: bucket[1] ?? '', prefix: (bucket[2] ?? '').replace(/\/+$/, '') };
  const folder = /^file:\/\/(\/[^?#]+)$/.exec(text);
  return folder ? { kind: 'folder', path: decodeURI(folder[1] ?? '') } : fault();
});
