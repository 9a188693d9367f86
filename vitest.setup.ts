import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'chatgen-'))

/** Gives the tests a temporary folder of their own, which is removed with whatever they leave. */
export function setup(): void {
  // Databases are run as another user.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  // Processes and threads that tests start find the modules compiled.
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'node-compile-cache')
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
