/** The fields of a form, as bytes: a mail in it may be of any charset. */
export type Fields = Map<string, Buffer>;

/** `%FC` is a byte here, whatever it stands for. */
export function urlencodedFields(body: Buffer): Fields {
  const pairs = body.toString('latin1').split('&');
  return new Map(
    pairs.map((pair): [string, Buffer] => {
      const at = pair.indexOf('=');
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return [decoded(name).toString(), decoded(value)];
    }),
  );
}

function decoded(text: string): Buffer {
  const byte = (_all: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  return Buffer.from(text.replaceAll('+', ' ').replace(/%([0-9a-f]{2})/gi, byte), 'latin1');
}

const BOUNDARY = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i;
const END_OF_HEAD = '\r\n\r\n';
const HEAD = 4_096;

/** Nothing where it is not a whole form. */
export function multipartFields(body: Buffer, type: string): Fields | undefined {
  const [, quoted, bare] = BOUNDARY.exec(type) ?? [];
  const boundary = quoted ?? bare;
  if (!boundary) return undefined;
  const fields: Fields = new Map();
  const mark = Buffer.from(`\r\n--${boundary}`);
  let at = body.indexOf(mark.subarray(2)) + mark.length - 2;
  if (at < mark.length - 2) return undefined;
  while (body.toString('latin1', at, at + 2) !== '--') {
    const end = body.indexOf(mark, at);
    if (end < 0) return undefined;
    addPart(fields, body.subarray(at, end));
    at = end + mark.length;
  }
  return fields;
}

function addPart(fields: Fields, part: Buffer): void {
  const end = part.indexOf(END_OF_HEAD);
  const head = part.toString('utf8', 0, Math.min(Math.max(end, 0), HEAD));
  const name = /^content-disposition:[^\r\n]*?[;\s]name="?([^"\r\n;]{1,200})/im.exec(head)?.[1];
  if (name && !fields.has(name)) fields.set(name, part.subarray(end + END_OF_HEAD.length));
}
