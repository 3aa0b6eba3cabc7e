/** Text of others between marks. It cannot end its own mark, nor begin one of the same family. */
export function marked(mark: string, text: string, family = mark): string {
  return `<${mark}>${blunted(family, text)}</${mark}>`;
}

/** Whatever a model might read as the mark: in any case, with spaces, full width, with what cannot be seen in between. */
function blunted(family: string, text: string): string {
  const name = new RegExp(`^${family.replaceAll('_', '')}`, 'i');
  return text.replace(/[<＜﹤][^<＜﹤]*/g, (part) => {
    const letters = part.normalize('NFKC').replace(/[^\p{L}]/gu, '');
    return name.test(letters) ? `‹${part.slice(1)}` : part;
  });
}
