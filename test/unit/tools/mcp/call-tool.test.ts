import { type CallToolResult, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { formatMcpResult } from '#tools/mcp/call-tool';
import { isMcpUndelivered } from '#tools/mcp/errors';

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
});

describe('a call that a server answered with 400', () => {
  const answered = (text: string) =>
    new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'failed', { status: 400, text } as never);

  it('may be sent again only if the server has forgotten its session: else the tool may have run', () => {
    expect(isMcpUndelivered(answered('Bad Request: No valid session ID provided'))).toBe(true);
    expect(isMcpUndelivered(answered('Amount too high'))).toBe(false);
  });
});
