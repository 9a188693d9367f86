import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { envelopeName, filesOf, sumsName } from '../../certification/bundle.ts'
import {
  payloadOf,
  preAuthenticationEncoding,
  readEnvelope,
} from '../../certification/statement.ts'
import { verifyBundle } from '../../certification/verify/verify.ts'
import { sharedEngine } from '../../conformance/test-support/check.ts'
import { chatgen, expectEnd, serving } from '../test-support/chatgen.ts'
import { certify, challenge, copyOf, sharedBundle, vendorFolder } from './test-support/bundles.ts'

/** One bundle for all tests, the folder of its keys, and a key of somebody else. */
let bundle = ''
let keys = ''
const otherKey = join(vendorFolder(), 'public.pem')

beforeAll(async () => {
  const made = await sharedBundle()
  bundle = made.dir
  keys = made.folder
})

describe('a certification bundle', () => {
  test('verifies with another compression level, digest order and CR LF', async () => {
    const copy = copyOf({ dir: bundle, folder: keys })
    for (const path of filesOf(copy).filter((name) => name.endsWith('.gz'))) {
      const content = gunzipSync(readFileSync(join(copy, path)))
      writeFileSync(join(copy, path), gzipSync(content, { level: 1 }))
    }
    const sums = readFileSync(join(copy, sumsName), 'utf8').trimEnd().split('\n')
    writeFileSync(join(copy, sumsName), `${sums.reverse().join('\r\n')}\r\n`)
    const line = `verify ${copy} --public-key public.pem --challenge ${challenge}`
    expectEnd(await chatgen(line, {}, keys), 0, { out: 'VERIFIED  Example AG Chat 1.0' })
  })

  test('has a signature that openssl verifies', () => {
    const envelope = readEnvelope(readFileSync(join(bundle, envelopeName), 'utf8'))
    const signed = preAuthenticationEncoding(envelope.payloadType, payloadOf(envelope))
    writeFileSync(join(keys, 'signed'), signed)
    writeFileSync(join(keys, 'sig'), Buffer.from(envelope.signatures[0].sig, 'base64'))
    const line = 'pkeyutl -verify -rawin -pubin -inkey public.pem -in signed -sigfile sig'
    const answer = execFileSync('openssl', line.split(' '), { cwd: keys })
    expect(String(answer)).toContain('Signature Verified Successfully')
  })

  test('has a page with product, challenge, dates, models and limits', () => {
    const text = readFileSync(join(bundle, 'report.html'), 'utf8').replaceAll(/<[^>]+>/g, '')
    const values = ['Chat, 1.0', 'Example AG, conformance@example.org', challenge, 'svc-main-model']
    for (const value of values) expect(text).toContain(value)
    for (const round of [1, 2, 3]) {
      const report = JSON.parse(readFileSync(join(bundle, `rounds/${round}/report.json`), 'utf8'))
      expect(text).toContain(report.startedAt)
    }
    expect(text).toMatch(/limits\s*timeoutMs 10000, settleMs 1000/)
    expect(text).toMatch(/requests\s*.*excludeFavorites/)
  })

  test('is on a site with its page, beside one that does not verify', async () => {
    const copy = copyOf({ dir: bundle, folder: keys })
    writeFileSync(join(copy, 'product.json'), '{}')
    expectEnd(await chatgen(`site ${bundle} ${copy}`, {}, keys), 0, {
      ...{ out: /^1 verified bundle of 2\n/, err: /is unverified: product\.json was changed/ },
    })
    const page = expect.stringMatching(/^1-example.*report\.html$/)
    expect(filesOf(join(keys, 'site'))).toContainEqual(page)
  })

  test('contains no keys, and no requests that name chatgen', () => {
    for (const path of filesOf(bundle)) {
      const bytes = readFileSync(join(bundle, path))
      const text = String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
      expect(text, path).not.toMatch(/sk-[A-Za-z0-9_-]{20,}/)
      for (const line of path.endsWith('.gz') ? text.trimEnd().split('\n') : [])
        expect(JSON.stringify(JSON.parse(line).request)).not.toMatch(/chatgen/i)
    }
  })

  test.each([
    ['another challenge', '--challenge spring-programme-5f2c81d0', /answers the challenge/],
    ['another key', `--public-key ${otherKey}`, /is signed with the key sha256:/],
  ])('does not verify with %s', async (_, flags, reason) => {
    expectEnd(await chatgen(`verify ${bundle} ${flags}`, {}, keys), 1, { out: reason })
  })
})

/** A number from 0 up to `below`. */
type Draw = (below: number) => number

/** Edits of a file without the key of the signer; null if the file does not change. */
const edits: Readonly<Record<string, (bytes: Buffer, draw: Draw, path: string) => Buffer | null>> =
  {
    'a byte of the file': (bytes, draw, path) => {
      const changed = withOtherByte(bytes, draw)
      return path.endsWith('.gz') && unpacked(changed)?.equals(gunzipSync(bytes)) ? null : changed
    },
    'a byte of the content': inside(withOtherByte),
    'a missing line': inside((content, draw) => {
      const lines = content.toString('latin1').split('\n')
      return Buffer.from(lines.toSpliced(draw(lines.length), 1).join('\n'), 'latin1')
    }),
  }

test('a bundle with one edit does not verify', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.values(edits)),
      fc.infiniteStream(fc.nat()),
      async (edit, numbers) => {
        const copy = copyOf({ dir: bundle, folder: keys })
        const draw: Draw = (below) => (numbers.next().value ?? 0) % below
        const files = filesOf(copy)
        const path = files[draw(files.length)] ?? ''
        const changed = edit(readFileSync(join(copy, path)), draw, path)
        fc.pre(changed !== null)
        writeFileSync(join(copy, path), changed ?? '')
        expect((await verifyBundle({ dir: copy, engine: sharedEngine })).verified).toBe(false)
      },
    ),
    { numRuns: 60 },
  )
})

/** An edit of the content of a file, which may be compressed. */
function inside(edit: (content: Buffer, draw: Draw) => Buffer) {
  return (bytes: Buffer, draw: Draw, path: string): Buffer =>
    path.endsWith('.gz') ? gzipSync(edit(gunzipSync(bytes), draw)) : edit(bytes, draw)
}

function withOtherByte(bytes: Buffer, draw: Draw): Buffer {
  const changed = Buffer.from(bytes)
  const at = draw(bytes.length)
  changed[at] = (changed[at] ?? 0) ^ (1 + draw(255))
  return changed
}

function unpacked(bytes: Buffer): Buffer | null {
  try {
    return gunzipSync(bytes)
  } catch {
    return null
  }
}

describe('chatgen certify', () => {
  test('refuses a server with a fault and writes no certificate', async () => {
    const key = 'sk-certified-1'
    const server = await serving(`--key ${key} --fault 'openai.chat: id is lost'`)
    const folder = vendorFolder()
    const profile = 'models: { main: svc-main-model }\ncapabilities: { images: false }\n'
    writeFileSync(join(folder, 'target.yaml'), profile)
    const flags = `${server.url} --profile openai --target target.yaml --json`
    const refused = await certify(folder, flags, { CHATGEN_API_KEY: key })
    expectEnd(refused, 1, { out: /OAI-CHAT-02 is violated/ })
    expect(JSON.parse(refused.stdout)).toMatchObject({ certified: false, bundle: 'bundle' })
    expect(filesOf(join(folder, 'bundle'))).not.toContain(envelopeName)
  })

  test('writes no bundle into a folder with other files', async () => {
    const folder = vendorFolder()
    expectEnd(await certify(folder, `--reference --out ${folder}`), 2, { err: 'is not empty' })
  })
})
