import type { Engine } from './engine.ts'

const shownLines = 20
const maxLineLength = 1000

/** The last lines that a container wrote to its standard output and standard error. */
export async function lastLines(api: Engine['api'], id: string): Promise<readonly string[]> {
  const container = api.getContainer(id)
  const { Config } = await container.inspect()
  const bytes = await container.logs({
    follow: false,
    stdout: true,
    stderr: true,
    tail: shownLines,
  })
  const text = (Config.Tty ? bytes : withoutHeaders(bytes)).toString('utf8')
  return text
    .split(/\r?\n/)
    .map((line) => line.trimEnd().slice(0, maxLineLength))
    .filter((line) => line !== '')
    .slice(-shownLines)
}

/**
 * The engine frames the output of a container without a terminal: a header of 8 bytes, the last four of
 * them the length of the payload, big-endian (Docker Engine API, ContainerAttach).
 */
export function withoutHeaders(bytes: Buffer): Buffer {
  const payloads: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4)
    payloads.push(bytes.subarray(at + 8, end))
    at = end
  }
  return Buffer.concat(payloads)
}
