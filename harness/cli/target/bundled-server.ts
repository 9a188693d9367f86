import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { type ChildServer, childServer } from '../../load/child-server.ts'

export interface BundledServer extends ChildServer {
  readonly key: string
}

/** Ends the server when a parent that is killed closes its end of the pipe. */
const endsWithParent = 'process.stdin.on("close", () => process.exit()).resume()'

/** Starts `chatgen serve` in a separate process, with a generated key. */
export async function bundledServer(flags: readonly string[] = []): Promise<BundledServer> {
  const key = `sk-${randomBytes(24).toString('base64url')}`
  const built = import.meta.url.endsWith('.js')
  const bin = fileURLToPath(
    new URL(`${built ? '../' : ''}../../../bin/chatgen.cjs`, import.meta.url),
  )
  const withParent = ['--import', `data:text/javascript,${encodeURIComponent(endsWithParent)}`]
  const argv = [...withParent, bin, 'serve', '--port', '0', ...flags]
  return { ...(await childServer(argv, { env: { ...withoutFlags(), CHATGEN_KEY: key } })), key }
}

/** Unsets CHATGEN_ variables such as CHATGEN_FAULT, which are meant for this command, not for the server. */
function withoutFlags(): Record<string, undefined> {
  const names = Object.keys(process.env).filter((name) => name.startsWith('CHATGEN_'))
  return Object.fromEntries(names.map((name) => [name, undefined]))
}
