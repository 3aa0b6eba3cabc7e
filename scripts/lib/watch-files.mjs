/**
 * Watches folders and their subfolders. Does not use fs.watch's `recursive`: on Linux, in Node 20, it loses a file that
 * an editor saves by replacing it.
 */
import { existsSync, readdirSync, watch } from 'node:fs';
import path from 'node:path';

/** Calls `onFileChange` on every change below `top`, including in folders created later. */
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

/** Calls `onFileChange` when this file changes. Watches its folder, because editors replace files. */
export function watchFile(file, onFileChange) {
  watchFolder(path.dirname(file), (_event, name) => {
    if (name === path.basename(file)) onFileChange();
  });
}

function watchFolder(folder, onChange) {
  // On some systems a deleted folder ends its watcher with an error. Its parent reports the deletion anyway.
  return watch(folder, onChange).on('error', () => {});
}

function listFolders(top) {
  if (!existsSync(top)) return [];
  const inside = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  return [top, ...inside];
}
