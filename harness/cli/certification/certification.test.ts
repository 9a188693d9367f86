import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { request as forward } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { envelopeName, filesOf, sha256, sumsName, sumsText } from '../../certification/bundle.ts'
import {
  payloadOf,
  preAuthenticationEncoding,
  readEnvelope,
  sealed,
} from '../../certification/envelope.ts'
import { readPrivateKey } from '../../certification/keys.ts'
import { statement } from '../../certification/statement.ts'
import { verifyBundle } from '../../certification/verify/verify.ts'
import { listen } from '../../conformance/test-support/listen.ts'
import { chatgen, emptyFolder, start } from '../test-support/chatgen.ts'

const challenge = 'winter-programme-5f2c81d0'
const product = 'vendor: Example AG\nname: Chat\nversion: "1.0"\ncontact: conformance@example.org\n'

/** One bundle for all tests, and the folder of its keys. */
let bundle = ''
let keys = ''

beforeAll(async () => {
  keys = keyFolder()
  const { code, stdout } = await certify(['--reference', '--profile', 'openai'], keys)
  expect(stdout).toContain('CERTIFIED')
  expect(code).toBe(0)
  bundle = join(keys, 'bundle')
}, 60_000)

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

describe('a bundle after an edit', () => {
  test('of one byte anywhere does not verify', async () => {
    const files = filesOf(bundle)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...files),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        fc.integer({ min: 1, max: 255 }),
        async (path, place, change) => {
          const copy = copied()
          const bytes = readFileSync(join(copy, path))
          const at = Math.floor(place * bytes.length)
          bytes[at] = (bytes[at] ?? 0) ^ change
          writeFileSync(join(copy, path), bytes)
          fc.pre(!isRepackaged(path, bytes))
          expect((await verifyBundle({ dir: copy })).verified).toBe(false)
        },
      ),
      { numRuns: 60 },
    )
  }, 60_000)

  test.each<[string, (dir: string) => void, RegExp]>([
    [
      'of a request, signed again',
      (dir) => editRound(dir, (text) => text.replace('Say hello.', 'Say hullo.')),
      /is not sent|is not recorded|another body/,
    ],
    [
      'of a status, signed again',
      (dir) => editRound(dir, (text) => text.replace('"status":401', '"status":200')),
      /was reported as pass, and the evidence shows/,
    ],
    [
      'that leaves an exchange out, signed again',
      (dir) => editRound(dir, (text) => text.split('\n').slice(0, -2).concat('').join('\n')),
      /is not recorded/,
    ],
  ])('%s does not verify', async (_, edit, reason) => {
    const copy = copied()
    edit(copy)
    signAgain(copy)
    const { verified, steps } = await verifyBundle({ dir: copy })
    expect(steps.at(-1)?.problems.join('\n')).toMatch(reason)
    expect(verified).toBe(false)
  })
})

test.each<[string, (dir: string) => void]>([
  [
    'another compression level',
    (dir) => {
      for (const path of filesOf(dir).filter((name) => name.endsWith('.gz'))) {
        const content = gunzipSync(readFileSync(join(dir, path)))
        writeFileSync(join(dir, path), gzipSync(content, { level: 1 }))
      }
    },
  ],
  ['CR LF in the digests', (dir) => editSums(dir, (text) => text.replaceAll('\n', '\r\n'))],
  [
    'digests in another order',
    (dir) => editSums(dir, (text) => `${text.trimEnd().split('\n').reverse().join('\n')}\n`),
  ],
])('a bundle with %s verifies', async (_, repackage) => {
  const copy = copied()
  repackage(copy)
  expect((await verifyBundle({ dir: copy })).verified).toBe(true)
})

describe('certify', () => {
  test('refuses a server with a fault, and writes no certificate', async () => {
    await using server = await serve(['--fault', 'openai-id-missing'])
    const { code, stdout, folder } = await certifyUrl(server.url)
    expect(stdout).toMatch(/REFUSED/)
    expect(stdout).toMatch(/OAI-CHAT-02 is violated/)
    expect(filesOf(join(folder, 'bundle'))).not.toContain(envelopeName)
    expect(code).toBe(1)
  }, 60_000)

  test('refuses a server that keeps the contract for requests that name chatgen', async () => {
    await using conforming = await serve([])
    await using faulty = await serve(['--fault', 'openai-id-missing'])
    const front = await listen((request, response) => {
      const isTester = /chatgen/i.test(JSON.stringify(request.headers))
      const { hostname, port } = new URL(isTester ? conforming.url : faulty.url)
      const { method, url: path, headers } = request
      const forwarded = forward({ hostname, port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      request.pipe(forwarded)
    })
    const { code, stdout } = await certifyUrl(front.url)
    await front.close()
    expect(stdout).toMatch(/OAI-CHAT-02 is violated/)
    expect(code).toBe(1)
  }, 60_000)

  test('names line and field of a product file', async () => {
    const folder = keyFolder()
    writeFileSync(join(folder, 'product.yaml'), 'vendor: Example AG\nnmae: Chat\n')
    const { code, stderr } = await certify(['--reference'], folder)
    expect(stderr).toContain('product.yaml:2: nmae: there is no such field. Did you mean name?')
    expect(code).toBe(2)
  })

  test('writes no bundle beside other files', async () => {
    const folder = keyFolder()
    const { code, stderr } = await certify(['--reference', '--out', folder], folder)
    expect(stderr).toContain('is not empty')
    expect(code).toBe(2)
  })
})

function certify(
  args: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
) {
  const own = ['--product', 'product.yaml', '--challenge', challenge, '--key', 'key.pem']
  const out = args.includes('--out') ? [] : ['--out', 'bundle']
  return chatgen(['certify', ...own, ...out, ...args], env, folder)
}

const servedKey = 'sk-certified-1'

/** `chatgen serve` in a process of its own. */
async function serve(flags: readonly string[]) {
  const server = start(['serve', '--port', '0', '--key', servedKey, ...flags])
  await server.shows('API key:')
  const url = /Listening on (\S+)/.exec(server.soFar())?.[1] ?? ''
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.child.kill('SIGTERM')
      await server.ended
    },
  }
}

async function certifyUrl(url: string) {
  const folder = keyFolder()
  const lines = ['models: { main: svc-main-model }', 'capabilities: { images: false }']
  writeFileSync(join(folder, 'target.yaml'), `${lines.join('\n')}\n`)
  const args = [url, '--profile', 'openai', '--target', 'target.yaml']
  return { folder, ...(await certify(args, folder, { CHATGEN_API_KEY: servedKey })) }
}

function keyFolder(): string {
  const folder = emptyFolder()
  openssl(['genpkey', '-algorithm', 'ed25519', '-out', join(folder, 'key.pem')])
  const pair = ['-in', join(folder, 'key.pem'), '-pubout', '-out', join(folder, 'public.pem')]
  openssl(['pkey', ...pair])
  writeFileSync(join(folder, 'product.yaml'), product)
  return folder
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' })
}

function copied(): string {
  const copy = mkdtempSync(join(tmpdir(), 'chatgen-bundle-'))
  cpSync(bundle, copy, { recursive: true })
  return copy
}

function editRound(dir: string, edit: (text: string) => string): void {
  const file = join(dir, 'rounds/2/exchanges.ndjson.gz')
  const before = String(gunzipSync(readFileSync(file)))
  const after = edit(before)
  expect(after).not.toBe(before)
  writeFileSync(file, gzipSync(after))
}

function editSums(dir: string, edit: (text: string) => string): void {
  const file = join(dir, sumsName)
  writeFileSync(file, edit(readFileSync(file, 'utf8')))
}

/** Makes the digests and the signature fit again, with the key of the signer. */
function signAgain(dir: string): void {
  writeFileSync(join(dir, sumsName), sumsText(dir))
  const file = join(dir, envelopeName)
  const signed = statement.parse(
    JSON.parse(String(payloadOf(readEnvelope(readFileSync(file, 'utf8'))))),
  )
  const { digest } = signed.predicate.configuration.find(({ name }) => name === sumsName) ?? {}
  if (digest !== undefined) digest['sha256'] = sha256(readFileSync(join(dir, sumsName)))
  const name = join(keys, 'key.pem')
  const key = readPrivateKey({ name, text: readFileSync(name, 'utf8') })
  writeFileSync(file, sealed(Buffer.from(JSON.stringify(signed)), key))
}

/** True for an edit that leaves the content of a compressed file as it was. */
function isRepackaged(path: string, bytes: Buffer): boolean {
  if (!path.endsWith('.gz')) return false
  try {
    return gunzipSync(bytes).equals(gunzipSync(readFileSync(join(bundle, path))))
  } catch {
    return false
  }
}
