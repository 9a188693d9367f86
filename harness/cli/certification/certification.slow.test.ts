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
import { chatgen, serving } from '../test-support/chatgen.ts'
import {
  certify,
  challenge,
  copyOf,
  openssl,
  sharedBundle,
  vendorFolder,
} from './test-support/bundles.ts'

/** One bundle for all tests, and the folder of its keys. */
let bundle = ''
let keys = ''

beforeAll(async () => {
  const made = await sharedBundle()
  bundle = made.dir
  keys = made.folder
})

describe('a bundle', () => {
  test('verifies with the key of its signer and the challenge', async () => {
    const { code, stdout } = await chatgen(
      ['verify', bundle, '--public-key', join(keys, 'public.pem'), '--challenge', challenge],
      {},
      keys,
    )
    expect(stdout).toContain('VERIFIED  Example AG Chat 1.0')
    expect(code).toBe(0)
  })

  test('is signed so that openssl verifies it', () => {
    const envelope = readEnvelope(readFileSync(join(bundle, envelopeName), 'utf8'))
    const signed = join(keys, 'signed')
    writeFileSync(signed, preAuthenticationEncoding(envelope.payloadType, payloadOf(envelope)))
    writeFileSync(join(keys, 'sig'), Buffer.from(envelope.signatures[0].sig, 'base64'))
    const args = ['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', join(keys, 'public.pem')]
    const answer = execFileSync('openssl', [...args, '-in', signed, '-sigfile', join(keys, 'sig')])
    expect(String(answer)).toContain('Signature Verified Successfully')
  })

  test('has a page that names product, vendor, challenge, dates, models, limits and fields of requests', () => {
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

  test('holds no request that names chatgen', () => {
    for (const path of filesOf(bundle).filter((name) => name.endsWith('.gz'))) {
      const lines = String(gunzipSync(readFileSync(join(bundle, path))))
        .trimEnd()
        .split('\n')
      for (const line of lines) {
        const { request } = JSON.parse(line)
        expect(JSON.stringify(request)).not.toMatch(/chatgen/i)
      }
    }
  })

  test('holds no key of the target', async () => {
    for (const path of filesOf(bundle)) {
      const bytes = readFileSync(join(bundle, path))
      const text = String(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)
      expect(text, path).not.toMatch(/sk-[A-Za-z0-9_-]{20,}/)
    }
  })

  test.each([
    ['another challenge', ['--challenge', 'spring-programme-5f2c81d0'], /answers the challenge/],
    ['another key', ['--public-key', 'other.pem'], /is signed with the key sha256:/],
  ])('does not verify with %s', async (_, args, reason) => {
    openssl(['genpkey', '-algorithm', 'ed25519', '-out', join(keys, 'other-key.pem')])
    openssl([
      'pkey',
      '-in',
      join(keys, 'other-key.pem'),
      '-pubout',
      '-out',
      join(keys, 'other.pem'),
    ])
    const { code, stdout } = await chatgen(['verify', bundle, ...args], {}, keys)
    expect(stdout).toMatch(reason)
    expect(code).toBe(1)
  })
})

/** A number from 0 up to `below`. */
type Draw = (below: number) => number

/** Edits of a file without the key of the signer; null if the file does not change. */
const edits: Readonly<Record<string, (bytes: Buffer, draw: Draw, path: string) => Buffer | null>> =
  {
    'a byte of what is stored': (bytes, draw, path) => {
      const changed = withOtherByte(bytes, draw)
      return path.endsWith('.gz') && unpacked(changed)?.equals(gunzipSync(bytes)) ? null : changed
    },
    'a byte of the content': (bytes, draw, path) =>
      path.endsWith('.gz')
        ? gzipSync(withOtherByte(gunzipSync(bytes), draw))
        : withOtherByte(bytes, draw),
    'a line less': (bytes, draw, path) => {
      const content = path.endsWith('.gz') ? gunzipSync(bytes) : bytes
      const lines = content.toString('latin1').split('\n')
      const kept = Buffer.from(lines.toSpliced(draw(lines.length), 1).join('\n'), 'latin1')
      return path.endsWith('.gz') ? gzipSync(kept) : kept
    },
  }

describe('a bundle after an edit', () => {
  test('of a single place does not verify', async () => {
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
})

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

test('a bundle with another compression level, and digests in another order and with CR LF, verifies', async () => {
  const copy = copyOf({ dir: bundle, folder: keys })
  for (const path of filesOf(copy).filter((name) => name.endsWith('.gz'))) {
    const content = gunzipSync(readFileSync(join(copy, path)))
    writeFileSync(join(copy, path), gzipSync(content, { level: 1 }))
  }
  const sums = readFileSync(join(copy, sumsName), 'utf8').trimEnd().split('\n')
  writeFileSync(join(copy, sumsName), `${sums.reverse().join('\r\n')}\r\n`)
  expect((await verifyBundle({ dir: copy, engine: sharedEngine })).verified).toBe(true)
})

describe('certify', () => {
  test('refuses a server with a fault, and writes no certificate', async () => {
    const server = await serving(['--key', servedKey, '--fault', 'openai-id-missing'])
    const { code, stdout, folder } = await certifyUrl(server.url)
    expect(stdout).toMatch(/REFUSED/)
    expect(stdout).toMatch(/OAI-CHAT-02 is violated/)
    expect(filesOf(join(folder, 'bundle'))).not.toContain(envelopeName)
    expect(code).toBe(1)
  })

  test('writes no bundle beside other files', async () => {
    const folder = vendorFolder()
    const { code, stderr } = await certify(folder, ['--reference', '--out', folder])
    expect(stderr).toContain('is not empty')
    expect(code).toBe(2)
  })
})

const servedKey = 'sk-certified-1'

async function certifyUrl(url: string) {
  const folder = vendorFolder()
  const lines = ['models: { main: svc-main-model }', 'capabilities: { images: false }']
  writeFileSync(join(folder, 'target.yaml'), `${lines.join('\n')}\n`)
  const args = [url, '--profile', 'openai', '--target', 'target.yaml']
  return { folder, ...(await certify(folder, args, { CHATGEN_API_KEY: servedKey })) }
}
