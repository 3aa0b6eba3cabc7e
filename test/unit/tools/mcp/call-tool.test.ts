import type { CallToolResult } from '@modelcontextprotocol/client';
import { formatMcpResult } from '#tools/mcp/call-tool';

const text = (value: string) => ({ type: 'text' as const, text: value });
const format = (content: CallToolResult['content'], rest: Partial<CallToolResult> = {}) =>
  formatMcpResult({ content, ...rest } as CallToolResult);

describe('the result of a tool', () => {
  it('is its texts, one below the other', () => {
    expect(format([text('one'), text('two')])).toBe('one\ntwo');
    expect(format([])).toBe('Done. The tool returned no content.');
  });

  it('describes content that cannot be shown', () => {
    const data = Buffer.alloc(12_000).toString('base64');
    expect(
      format([
        { type: 'image', mimeType: 'image/png', data },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
        { type: 'resource', resource: { uri: 'file:///a.txt', text: 'its text' } },
        { type: 'resource', resource: { uri: 'file:///b.bin', mimeType: 'application/zip', blob: data } },
        { type: 'resource_link', uri: 'file:///c', name: 'c.txt', description: 'The third' },
      ]).split('\n'),
    ).toEqual([
      '[image: image/png, 12 KB]',
      '[audio: audio/wav, 3 bytes]',
      '[resource file:///a.txt]',
      'its text',
      '[resource file:///b.bin: application/zip, 12 KB]',
      '[link to c.txt: file:///c (The third)]',
    ]);
  });

  it('is its data as JSON if there is no text', () => {
    const structuredContent = { celsius: 21 };
    expect(format([], { structuredContent })).toBe('{"celsius":21}');
    expect(format([text('21 °C')], { structuredContent })).toBe('21 °C');
  });

  it("is an error if the tool says so, with the tool's text", () => {
    expect(() => format([text('no such file')], { isError: true })).toThrow(new Error('no such file'));
    expect(() => format([], { isError: true })).toThrow('The tool failed without an error message.');
  });

  it('is truncated if it is too long, and says by how much', () => {
    const long = format([text('x'.repeat(150_000)), text('y'.repeat(150_000)), text('z'.repeat(1_000_000))]);
    expect(long.length).toBeLessThanOrEqual(200_000);
    const omitted = 1_300_002 - long.indexOf('…');
    expect(long.endsWith(`y… [${omitted} more characters]`)).toBe(true);
  });
});
