import { DefaultFailureConverter } from '@temporalio/common';

/** Writes messages and stacks as payloads, so that they are encrypted with the rest. It reads either. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
