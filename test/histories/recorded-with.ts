/** What histories are encrypted with whose file says `encrypted`: known to everybody, so that they can be replayed for ever. */
export const RECORDED_WITH = `recorded:${Buffer.alloc(32, 'histories').toString('base64')}`;

export const isEncrypted = (file: string) => /-encrypted-[^/]*$/.test(file);
