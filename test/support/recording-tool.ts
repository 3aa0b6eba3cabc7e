import { z } from 'zod';
import type { Tool } from '#tools/tool';

/** Creates a tool that runs as an activity and records each run, in order. */
export function createRecordingTool(): { tool: Tool; onceTool: Tool; lines: string[] } {
  const lines: string[] = [];
  const make = (name: string, runOnce: boolean): Tool => ({
    name,
    description: 'Write a line into the diary.',
    input: () => z.strictObject({ line: z.string(), fail: z.boolean().optional() }),
    execution: {
      kind: 'activity',
      runOnce,
      destructive: true,
      async execute(input) {
        const { line, fail } = input as { line: string; fail?: boolean };
        lines.push(line);
        if (fail) throw new Error(`the pen broke at ${line}`);
        return `wrote ${line}`;
      },
    },
  });
  return { tool: make('write_line', false), onceTool: make('write_line_once', true), lines };
}
