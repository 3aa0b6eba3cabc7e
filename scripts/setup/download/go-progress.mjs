/** Derives progress from Go's output. Pure: go-build.mjs runs Go. */

/** The line that `go install -v` writes for each package it compiles: only the import path. */
const IMPORT_PATH = /^[\w.~+!-]+(\/[\w.~+!-]+)*$/;

/** Counts the modules that a go.mod requires. No more than these are downloaded. */
export function countRequirements(goMod) {
  const blocks = [...goMod.matchAll(/^require \(\n([\s\S]*?)^\)/gm)].flatMap(([, block]) => block.split('\n'));
  const inBlocks = blocks.filter((line) => /^\s*[^\s/]/.test(line));
  return inBlocks.length + [...goMod.matchAll(/^require [^\s(]/gm)].length;
}

/** Counts "go: downloading" lines. Takes Go's output in chunks and returns the progress so far. */
export function createDownloadCounter(total) {
  let done = 0;
  const readChunk = createLineReader((line) => {
    if (line.startsWith('go: downloading ')) done++;
  });
  return (chunk) => {
    readChunk(chunk);
    return { done, total, unit: 'modules' };
  };
}

/**
 * Counts packages as `go install -v` starts to compile them. Packages in Go's build cache are not printed, so the total
 * is `stale`: the packages that `go list` reports as not yet compiled. Without it, there is no total.
 */
export function createPackageCounter(stale) {
  const seen = new Set();
  const readChunk = createLineReader((line) => {
    if (isPackage(line, stale)) seen.add(line);
  });
  return (chunk) => {
    readChunk(chunk);
    const isLast = seen.size === stale?.size;
    return { done: seen.size, total: stale?.size, unit: 'packages', note: isLast ? 'linking' : undefined };
  };
}

/** Removes the package lines from Go's output, which leaves the reason of a failed build. */
export function removePackageLines(output, stale) {
  return output
    .split('\n')
    .filter((line) => !isPackage(line, stale))
    .join('\n');
}

function isPackage(line, stale) {
  return stale ? stale.has(line) : IMPORT_PATH.test(line);
}

/** Splits chunks into lines. A chunk may end in the middle of a line. */
function createLineReader(onLine) {
  let remainder = '';
  return (chunk) => {
    const lines = `${remainder}${chunk}`.split(/\r?\n/);
    remainder = lines.pop();
    lines.forEach(onLine);
  };
}
