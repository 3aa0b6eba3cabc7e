/**
 * Watch folders, and the folders in them. Not by fs.watch's own `recursive`: on Linux, in Node 20, it loses sight of a
 * file that an editor saves by putting a new one in its place.
 */
import { existsSync, readdirSync, watch } from 'node:fs';
import path from 'node:path';

/** Calls `changed` at every change below `top`, now or in folders made later. */
export function watchTree(top, onFileChange) {
  const watchers = new Map();
  const updateWatchers = () => {
    for (const folder of listFolders(top)) {
      if (!watchers.has(folder)) watchers.set(folder, watchFolder(folder, onChange));
    }
    for (const [folder, watcher] of watchers) {
      if (existsSync(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
  };
  const onChange = () => {
    updateWatchers();
    onFileChange();
  };
  updateWatchers();
}

/** Calls `changed` when this one file changes: by its folder, for the same reason. */
export function watchFile(file, onFileChange) {
  watchFolder(path.dirname(file), (_event, name) => {
    if (name === path.basename(file)) onFileChange();
  });
}

function watchFolder(folder, onChange) {
  // A folder that is deleted ends its watcher with an error on some systems; its parent tells of it anyway.
  return watch(folder, onChange).on('error', () => {});
}

function listFolders(top) {
  if (!existsSync(top)) return [];
  const inside = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  return [top, ...inside];
}
