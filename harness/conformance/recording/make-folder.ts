import { mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder and those above it. Node's own recursive `mkdir` never ends where a file system says
 * ENOENT of a folder that cannot be made, as Linux does below /proc.
 * @throws the error of the file system
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  const above = dirname(resolve(folder))
  if (above !== resolve(folder)) makeFolder(above)
  try {
    mkdirSync(folder)
  } catch (error) {
    // Somebody else may have made it meanwhile.
    if (!isFolder(folder)) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
