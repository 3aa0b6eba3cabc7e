/**
 * Watch folders, and the folders in them. Not by fs.watch's own `recursive`: on Linux, in Node 20, it loses sight of a
 * file that an editor saves by putting a new one in its place.
 */
import { existsSync, readdirSync, watch } from 'node:fs';
import path from 'node:path';

/** Calls `changed` at every change below `top`, now or in folders made later. */
export function watchBelow(top, changed) {
  const watched = new Map();
  const look = () => {
    for (const folder of foldersIn(top)) {
      if (!watched.has(folder)) watched.set(folder, watchFolder(folder, onChange));
    }
    for (const [folder, watcher] of watched) {
      if (existsSync(folder)) continue;
      watcher.close();
      watched.delete(folder);
    }
  };
  const onChange = () => {
    look();
    changed();
  };
  look();
}

/** Calls `changed` when this one file changes: by its folder, for the same reason. */
export function watchOne(file, changed) {
  watchFolder(path.dirname(file), (_event, name) => {
    if (name === path.basename(file)) changed();
  });
}

function watchFolder(folder, onChange) {
  // A folder that is deleted ends its watcher with an error on some systems; its parent tells of it anyway.
  return watch(folder, onChange).on('error', () => {});
}

function foldersIn(top) {
  if (!existsSync(top)) return [];
  const inside = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  return [top, ...inside];
}
