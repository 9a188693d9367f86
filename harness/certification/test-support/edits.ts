// biome-ignore-all lint/style/noExcessiveLinesPerFile: data, one edit of a bundle after another
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import {
  type Exchange,
  type Header,
  restoreExchange,
  storedPieces,
  type WireResponse,
} from '../../../contract/index.ts'
import { conformanceReport } from '../../../contract/report/conformance.ts'
import { decodeEvents, isEventStream } from '../../client/index.ts'
import { envelopeName, filesOf, roundFolder } from '../bundle.ts'
import { payloadOf, readEnvelope } from '../envelope.ts'

/** Single edits of the bundle in a folder. */

/** A number from 0 up to `below`. */
export type Draw = (below: number) => number

/** Changes one file of the bundle; false if it has nothing to change. */
export type Edit = (dir: string, draw: Draw) => boolean

const rounds = [1, 2, 3]
const exchangesPath = (round: number) => `${roundFolder(round)}/exchanges.ndjson.gz`

/** Edits by someone without the key of the signer. */
export const edits: Readonly<Record<string, Edit>> = {
  byte(dir, draw) {
    const path = pick(filesOf(dir), draw)
    return edited(dir, path, (bytes) => {
      const at = draw(bytes.length)
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ (1 + draw(255))
      return changed
    })
  },
  'stored byte': (dir, draw) => {
    const file = join(dir, pick(filesOf(dir), draw))
    const bytes = readFileSync(file)
    const before = file.endsWith('.gz') ? gunzipSync(bytes) : Buffer.from(bytes)
    const at = draw(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 + draw(255))
    writeFileSync(file, bytes)
    return !(file.endsWith('.gz') && unpacked(bytes)?.equals(before))
  },
  'line removed': (dir, draw) =>
    editLines(dir, pick(filesOf(dir), draw), (lines, at) => lines.toSpliced(at, 1), draw),
  'line doubled': (dir, draw) =>
    editLines(
      dir,
      pick(filesOf(dir), draw),
      (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ''),
      draw,
    ),
  verdict: (dir, draw) =>
    replaceOne(dir, reportPath(draw), /"verdict":\s*"pass"/g, '"verdict":"warn"', draw),
  date: (dir, draw) =>
    replaceOne(
      dir,
      pick(
        [reportPath(draw), `${roundFolder(1 + draw(3))}/run.json`, exchangesPath(1 + draw(3))],
        draw,
      ),
      /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g,
      '2025-01-01T00:00:00',
      draw,
    ),
  'exchange of another round': exchangeOfAnotherRound,
  'another challenge': (dir) => {
    const file = join(dir, envelopeName)
    const envelope = readEnvelope(readFileSync(file, 'utf8'))
    const text = String(payloadOf(envelope))
    const changed = text.replace(/"challenge":"[^"]+"/, '"challenge":"another-challenge-of-today"')
    const payload = Buffer.from(changed).toString('base64')
    writeFileSync(file, JSON.stringify({ ...envelope, payload }))
    return changed !== text
  },
}

/** Edits by a signer, who makes digests and signature fit afterwards. */
export const editsOfSigner: Readonly<Record<string, Edit>> = {
  'address of a request': (dir, draw) =>
    editStored(dir, draw, ({ request, ...rest }) => {
      const { origin, pathname, search } = new URL(request.url)
      const url = `${origin}${withOtherCharacter(pathname + search, draw, 1)}`
      return { ...rest, request: { ...request, url } }
    }),
  'header of a request': (dir, draw) =>
    editStored(dir, draw, ({ request, ...rest }) => {
      const places = request.headers.flatMap(([name], at) => (name === 'authorization' ? [] : [at]))
      const chosen = places[draw(places.length)]
      const headers = request.headers.map(
        ([name, value], at): Header =>
          at === chosen ? [name, withOtherCharacter(value, draw)] : [name, value],
      )
      return { ...rest, request: { ...request, headers } }
    }),
  'body of a request': (dir, draw) =>
    editStored(dir, draw, ({ request, ...rest }) => ({
      ...rest,
      request: { ...request, body: request.body && withOtherByte(request.body, draw) },
    })),
  'byte of another file': (dir, draw) =>
    edited(
      dir,
      pick(
        filesOf(dir).filter((path) => path !== envelopeName && !/SHA256SUMS|\.gz$/.test(path)),
        draw,
      ),
      (bytes) => Buffer.from(withOtherByte(bytes, draw)),
    ),
  'exchange removed': (dir, draw) => editExchange(dir, draw, () => ''),
  'exchange doubled': (dir, draw) => editExchange(dir, draw, (line) => `${line}\n${line}`),
  'exchange of another round': exchangeOfAnotherRound,
  'date of an exchange': (dir, draw) =>
    editExchange(dir, draw, (line) =>
      line.replace(/"startedAt":"[^"]+"/, '"startedAt":"2025-01-01T00:00:00.000Z"'),
    ),
  verdict(dir, draw) {
    const path = reportPath(draw)
    return edited(dir, path, (bytes) => {
      const report = conformanceReport.parse(JSON.parse(String(bytes)))
      const at = draw(report.requirements.length)
      const requirements = report.requirements.map((row, index) =>
        index === at ? { ...row, verdict: row.verdict === 'pass' ? 'warn' : 'pass' } : row,
      )
      return Buffer.from(JSON.stringify({ ...report, requirements }))
    })
  },
}

/**
 * Edits of responses by the signer. A vendor can make up responses: those that keep the contract cannot be
 * told from real ones, so that only some of these edits are found.
 */
export const editsOfResponses: Readonly<Record<string, Edit>> = {
  status: (dir, draw) =>
    editResponse(dir, draw, ({ status, ...rest }) => ({
      ...rest,
      status: pick(
        [200, 204, 400, 401, 404, 409, 422, 500].filter((other) => other !== status),
        draw,
      ),
    })),
  'byte of a body': (dir, draw) =>
    editResponse(dir, draw, ({ chunks, ...rest }) => {
      const chosen = draw(Math.max(chunks.length, 1))
      return {
        ...rest,
        chunks: chunks.map((chunk, at) =>
          at === chosen ? { ...chunk, bytes: withOtherByte(chunk.bytes, draw) } : chunk,
        ),
      }
    }),
  'header of a response': (dir, draw) =>
    editResponse(dir, draw, ({ headers, ...rest }) => ({
      ...rest,
      headers: headers.toSpliced(draw(Math.max(headers.length, 1)), 1),
    })),
}

/** Repackagings that leave the content as it is. */
export const repackagings: Readonly<Record<string, Edit>> = {
  'compression level': (dir, draw) => {
    const path = exchangesPath(1 + draw(3))
    const content = gunzipSync(readFileSync(join(dir, path)))
    writeFileSync(join(dir, path), gzipSync(content, { level: 1 + draw(9) }))
    return true
  },
  'line ends of the digests': (dir) =>
    edited(dir, 'SHA256SUMS', (bytes) => Buffer.from(String(bytes).replaceAll('\n', '\r\n'))),
  'order of the digests': (dir, draw) =>
    edited(dir, 'SHA256SUMS', (bytes) => {
      const lines = String(bytes).trimEnd().split('\n')
      const cut = draw(lines.length)
      return Buffer.from(`${[...lines.slice(cut), ...lines.slice(0, cut)].join('\n')}\n`)
    }),
}

function exchangeOfAnotherRound(dir: string, draw: Draw): boolean {
  const from = 1 + draw(3)
  const to = pick(
    rounds.filter((round) => round !== from),
    draw,
  )
  const others = linesOf(gunzipSync(readFileSync(join(dir, exchangesPath(from)))))
  const other = others[draw(others.length)] ?? ''
  const { labels } = JSON.parse(other)
  return edited(dir, exchangesPath(to), (bytes) => {
    const lines = linesOf(bytes)
    const at = lines.findIndex((line) => {
      const { scenario, ordinal, attempt } = JSON.parse(line).labels
      return (
        scenario === labels.scenario && ordinal === labels.ordinal && attempt === labels.attempt
      )
    })
    return Buffer.from(`${lines.with(Math.max(at, 0), other).join('\n')}\n`)
  })
}

function editExchange(dir: string, draw: Draw, change: (line: string) => string): boolean {
  const path = exchangesPath(1 + draw(3))
  return edited(dir, path, (bytes) => {
    const lines = linesOf(bytes)
    // Those of the leftover check decide nothing.
    const judged = lines.flatMap((line, at) => (line.includes('"residue-audit"') ? [] : [at]))
    const at = judged[draw(judged.length)] ?? 0
    const line = lines[at] ?? ''
    const changed = change(line)
    const kept = changed === '' ? lines.toSpliced(at, 1) : lines.with(at, changed)
    return Buffer.from(`${kept.join('\n')}\n`)
  })
}

function editStored(dir: string, draw: Draw, change: (exchange: Exchange) => Exchange): boolean {
  return editExchange(dir, draw, (line) => {
    const exchange = restoreExchange(JSON.parse(line))
    return [...storedPieces(change(exchange))].join('').trimEnd()
  })
}

/** The events follow from the edited bytes, as they would with a signer who takes care. */
function editResponse(
  dir: string,
  draw: Draw,
  change: (response: WireResponse) => WireResponse,
): boolean {
  return editStored(dir, draw, (exchange) => {
    if (exchange.response === null) return exchange
    const response = change(exchange.response)
    const events = isEventStream(response.headers) ? decodeEvents(response.chunks) : []
    return { ...exchange, response, events }
  })
}

function withOtherCharacter(text: string, draw: Draw, from = 0): string {
  const at = from + draw(Math.max(text.length - from, 1))
  const other = text[at] === 'a' ? 'b' : 'a'
  return `${text.slice(0, at)}${other}${text.slice(at + 1)}`
}

function withOtherByte(bytes: Uint8Array, draw: Draw): Uint8Array {
  if (bytes.length === 0) return bytes
  const changed = new Uint8Array(bytes)
  const at = draw(bytes.length)
  changed[at] = (changed[at] ?? 0) ^ (1 + draw(255))
  return changed
}

function reportPath(draw: Draw): string {
  return `${roundFolder(1 + draw(3))}/report.json`
}

function editLines(
  dir: string,
  path: string,
  change: (lines: string[], at: number) => string[],
  draw: Draw,
): boolean {
  return edited(dir, path, (bytes) => {
    const lines = bytes.toString('latin1').split('\n')
    return Buffer.from(change(lines, draw(lines.length)).join('\n'), 'latin1')
  })
}

function replaceOne(dir: string, path: string, pattern: RegExp, by: string, draw: Draw): boolean {
  return edited(dir, path, (bytes) => {
    const text = bytes.toString('latin1')
    const found = [...text.matchAll(pattern)]
    const match = found[draw(Math.max(found.length, 1))]
    if (match === undefined) return bytes
    const after = text.slice(match.index + match[0].length)
    return Buffer.from(text.slice(0, match.index) + by + after, 'latin1')
  })
}

/** Edits the content of a file; true if that changed it. */
function edited(dir: string, path: string, change: (content: Buffer) => Buffer): boolean {
  const file = join(dir, path)
  const stored = readFileSync(file)
  const content = path.endsWith('.gz') ? gunzipSync(stored) : stored
  const changed = change(content)
  if (changed.equals(content)) return false
  writeFileSync(file, path.endsWith('.gz') ? gzipSync(changed, { level: 1 }) : changed)
  return true
}

function linesOf(bytes: Buffer): string[] {
  return String(bytes).trimEnd().split('\n')
}

function unpacked(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes)
  } catch {
    return null
  }
}

function pick<T>(list: readonly T[], draw: Draw): T {
  const value = list[draw(list.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}
