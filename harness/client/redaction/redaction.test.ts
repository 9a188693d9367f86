import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyBytes, type Exchange, type Header, type WireChunk } from '../../../contract/index.ts'
import { forAll } from '../../../contract/test-support/for-all.ts'
import { exchangeOf as sketched } from '../../../reports/test-support/reports.ts'
import { cutAt } from '../test-support/golden-stream.ts'
import { createRedactor } from './redaction.ts'

const value = 'sk-live_9/Qz+"7 é'
const redactor = createRedactor([{ name: 'api key', value }])
const key = 'sk-Tq7vW2nX9b'
const { exchange, output, text } = createRedactor([{ name: 'api key', value: key }])

describe('a secret is replaced', () => {
  const [inUrl, inJson] = [encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]

  test.each([
    ['percent-encoded in lower case', inUrl.replaceAll(/%../g, (code) => code.toLowerCase())],
    ['as in a form', inUrl.replaceAll('%20', '+')],
    ['escaped in JSON, all in ASCII', inJson.replace('é', '\\u00e9')],
    ['escaped in JSON, slashes too', inJson.replaceAll('/', '\\/')],
  ])('%s', (_, form) => {
    expect(redactor.text(`before ${form} after ${form}`)).toBe('before [api key] after [api key]')
  })

  test('in base64 for URLs', () => {
    const encoded = Buffer.from(`??${value}`).toString('base64url')
    expect(redactor.text(encoded)).toContain('[api key]')
  })

  test('in every part of an exchange', () => {
    const clean = JSON.stringify(redactor.exchange(exchangeWithSecret()), (_, one) =>
      one instanceof Uint8Array ? new TextDecoder().decode(one) : one,
    )
    expect(clean).not.toContain('live_9')
    expect(clean.match(/\[api key\]/g)).toHaveLength(10)
  })
})

test('overlapping secrets are replaced by the longer one', () => {
  const both = createRedactor([
    { name: 'short', value: value.slice(0, -1) },
    { name: 'long', value },
  ])
  expect(both.text(`${value} ${value.slice(0, -1)}`)).toBe('[long] [short]')
})

test('a secret of three characters is not replaced', () => {
  expect(createRedactor([{ name: 'key', value: 'the' }]).text('the end')).toBe('the end')
})

test('half a surrogate pair is replaced as part of a secret', () => {
  expect(createRedactor([{ name: 'key', value: 'half\ud800' }]).text('half\ud800')).toBe('[key]')
})

describe('a body in chunks', () => {
  const redact = redactor.exchange
  const body = Buffer.concat([
    Buffer.from(`data: {"echo":"${value}"}\n\n`),
    Buffer.from([0xff, 0xfe, 0x00]),
    Buffer.from(` and ${value} again`),
  ])
  const clean = Buffer.concat([
    Buffer.from('data: {"echo":"[api key]"}\n\n'),
    Buffer.from([0xff, 0xfe, 0x00]),
    Buffer.from(' and [api key] again'),
  ])

  test('is redacted in any split', () => {
    for (let at = 0; at <= body.length; at += 1) {
      expect(redactedBody(cutAt(body, [at]), redact).equals(clean), `cut at ${at}`).toBe(true)
    }
    expect(redactedBody(cutAt(body, [...body.keys()]), redact).equals(clean)).toBe(true)
  })

  test('keeps number and times of its chunks', () => {
    const chunks = cutAt(body, [3, 20, 30]).map((bytes, at) => ({ atMs: at * 7, bytes }))
    const { response } = redact(exchangeOf(chunks))
    expect(response?.chunks.map(({ atMs }) => atMs)).toEqual([0, 7, 14, 21])
  })
})

describe('any secret', () => {
  const secrets = fc
    .string({ minLength: 8, maxLength: 40, unit: 'grapheme' })
    .filter((secret) => !'[key] '.includes(secret) && secret.trim() !== '')
  const around = fc.string({ maxLength: 12 })
  const allEncodings: readonly ((text: string) => string)[] = [
    (text) => text,
    encodeURIComponent,
    (text) => JSON.stringify(text).slice(1, -1),
  ]
  const encodings = fc.constantFrom(...allEncodings)

  test('is replaced in each encoding, without the text around it', () => {
    forAll(secrets, around, around, encodings, (secret, before, after, encode) => {
      const { text } = createRedactor([{ name: 'key', value: secret }])
      const form = encode(secret)
      fc.pre(!before.includes('[') && !after.includes(']'))
      // A backslash before it is part of an escape, such as \\/ or \\'.
      fc.pre(!before.endsWith('\\'))
      // A backslash before a quotation mark turns the plain secret into its JSON form, which is longer.
      const whole = `${before}${form}${after}`
      const starts = allEncodings.map((other) => whole.indexOf(other(secret)))
      fc.pre(starts.every((start) => start === -1 || start === before.length))
      fc.pre(`${before}${form}`.indexOf(form) === before.length)
      fc.pre(`${form}${after}`.lastIndexOf(form) === 0)
      expect(text(`${before}${form}${after}`)).toBe(`${before}[key]${after}`)
    })
  })

  test('is removed from base64', () => {
    forAll(secrets, around, around, (secret, before, after) => {
      const { text } = createRedactor([{ name: 'key', value: secret }])
      const encoded = Buffer.from(`${before}${secret}${after}`).toString('base64')
      const start = Buffer.byteLength(before)
      const end = start + Buffer.byteLength(secret)
      // The characters that contain only bits of the secret.
      const core = encoded.slice(Math.ceil((start * 8) / 6), Math.floor((end * 8) / 6))
      expect(text(encoded)).not.toContain(core)
    })
  })

  test('leaves a text without it unchanged', () => {
    forAll(secrets, fc.string(), (secret, text) => {
      fc.pre(!text.includes(secret))
      const other = createRedactor([{ name: 'key', value: `${secret}${secret}${secret}` }])
      expect(other.text(text)).toBe(text)
    })
  })
})

function redactedBody(pieces: readonly Uint8Array[], redact = exchange): Buffer {
  const chunks = pieces.map((bytes, atMs) => ({ atMs, bytes }))
  return Buffer.from(bodyBytes(redact(exchangeOf(chunks))))
}

function exchangeOf(chunks: readonly WireChunk[]): Exchange {
  const { response, ...rest } = sketched({ method: 'GET', url: 'http://localhost/' })
  return { ...rest, response: response && { ...response, headers: [], chunks } }
}

/** The secret in ten places; texts except the bytes of the body. */
function exchangeWithSecret(): Exchange {
  const exchange = sketched({
    url: `http://localhost/?key=${encodeURIComponent(value)}`,
    authorization: `Bearer ${value}`,
    headers: [[`x-${value}`, 'odd']],
    body: JSON.stringify({ secret: value }),
    events: [{ atMs: 1, name: null, data: value }],
    ending: { kind: 'cut', atMs: 2, error: `lost ${value}` },
  })
  const headers: Header[] = [
    ['x-echo', value],
    [value, 'odd'],
  ]
  return {
    ...exchange,
    response: exchange.response && { ...exchange.response, headers },
    events: [{ atMs: 1, name: value, data: value }],
  }
}

describe('a secret in parts', () => {
  const streamOf = (pieces: readonly string[]) =>
    sketched({
      events: pieces.map((piece, atMs) => {
        return { atMs, name: null, data: JSON.stringify({ type: 'x', delta: piece, index: 0 }) }
      }),
    })
  const spoken = (clean: Exchange) => ({
    events: clean.events.map(({ data }) => JSON.parse(data).delta).join('|'),
    bytes: [...new TextDecoder().decode(bodyBytes(clean)).matchAll(/"delta":"([^"]*)"/g)]
      .map(([, piece]) => piece)
      .join('|'),
  })

  test.each([
    ['token by token', ['Your key: s', 'k-Tq7', 'vW2nX', '9b, so'], 'Your key: [api key]|||, so'],
    ['if a stream ends within it', ['Your key: sk-T', 'q7vW2'], 'Your key: [api key]|'],
  ])('is replaced %s', (_, pieces, expected) => {
    expect(spoken(exchange(streamOf(pieces)))).toEqual({ events: expected, bytes: expected })
  })

  test('is not replaced if the texts of a stream only begin like it', () => {
    const stream = streamOf(['Your key: ', 'sk-', 'another'])
    expect(exchange(stream)).toEqual(stream)
  })

  test.each([
    [`expected 'sk-Tq7vW…' to be 'a'`, `expected '[api key]…' to be 'a'`],
    ['made "…vW2nX9b" of it', 'made "…[api key]" of it'],
    ['sk-Tq7v... is wrong', '[api key]... is wrong'],
    ['and so on…', 'and so on…'],
    ['sk-…', 'sk-…'],
  ])('in %j gives %j', (message, clean) => {
    expect(text(message)).toBe(clean)
  })

  test.each([
    ['in a page', '<p>a&lt;b &amp; &quot;c&quot;&#39;</p>', `a<b & "c"'`],
    ['quoted by an assertion', String.raw`'it\'s a key'`, `it's a key`],
    ['base64 in a query', `?auth=${encodeURIComponent(btoa('a>>?b>>?c>>?'))}`, 'a>>?b>>?c>>?'],
  ])('is replaced %s', (_, written, value) => {
    expect(createRedactor([{ name: 'key', value }]).text(written)).toContain('[key]')
  })
})

describe('redaction takes linear time', () => {
  const times = 100_000
  const clean = (text: string, size = text.length) => {
    const bytes = Buffer.from(text)
    const places = Array.from({ length: bytes.length / size }, (_, at) => at * size)
    return redactedBody(cutAt(bytes, places)).toString()
  }

  test('for a body that repeats the key in small chunks', () => {
    const body = clean(`${key} `.repeat(times), 50)
    expect(body).toBe('[api key] '.repeat(times))
  })

  test('for a stream that repeats it token by token', () => {
    const event = (piece: string) => `data: {"type":"x","delta":"${piece}"}\n\n`
    const body = clean((event(key.slice(0, 5)) + event(key.slice(5))).repeat(times), 4_096)
    expect(body).toBe((event('[api key]') + event('')).repeat(times))
  })

  test.each([
    ['escapes', `data: {"a":"${'\\x'.repeat(40 * times)}`],
    ['quotes that close nothing', `data: {${'"a":"\\"'.repeat(10 * times)}`],
    ['names', `data: {${Array.from({ length: times }, (_, at) => `"k${at}":"v"`).join()}}`],
    ['its beginning', key.slice(0, 6).repeat(times)],
  ])('for a line of many %s', (_, line) => {
    expect(clean(line).slice(0, 100)).toBe(line.slice(0, 100))
  })
}, 60_000)

describe('an encoded secret', () => {
  const each = (write: (code: number, character: string) => string) =>
    [...key].map((character) => write(character.charCodeAt(0), character)).join('')
  const digits = (code: number) => code.toString(16)
  const forms: [string, string][] = [
    ['JSON escapes', each((code) => `\\u00${digits(code)}`)],
    ['JSON escapes in capitals', each((code) => `\\u00${digits(code).toUpperCase()}`)],
    ['one JSON escape', key.replace('T', '\\u0054')],
    ['escapes of escapes', each((code) => `\\\\u00${digits(code)}`)],
    ['escapes of JavaScript', each((code) => `\\x${digits(code)}`)],
    ['escapes in braces', each((code) => `\\u{${digits(code)}}`)],
    ['percent codes', each((code) => `%${digits(code)}`)],
    ['one percent code', key.replace('-', '%2D')],
    ['percent codes of percent codes', each((code) => `%25${digits(code)}`)],
    ['JSON escapes in a query', encodeURIComponent(each((code) => `\\u00${digits(code)}`))],
    ['decimal references', each((code) => `&#${code};`)],
    ['hexadecimal references', each((code) => `&#x${digits(code)};`)],
    ['references with zeros, unclosed', each((code) => `&#x000${digits(code)}`)],
    ['references of references', each((code) => `&amp;#${code};`)],
    ['a mixture', `&#115;%6b\\u002d${key.slice(3)}`],
    ['hexadecimal digits', Buffer.from(key).toString('hex')],
    ['hexadecimal digits in capitals', Buffer.from(key).toString('hex').toUpperCase()],
    ['base64 in a query', encodeURIComponent(Buffer.from(`??>${key}`).toString('base64'))],
    ['capitals', key.toUpperCase()],
    ['lower case', key.toLowerCase()],
  ]

  test.each(forms)('is replaced as %s', (_, form) => {
    const pattern = /^before .{0,8}\[api key\].?(?:%3D)* after$/
    expect(text(`before ${form} after`)).toMatch(pattern)
    expect(output(`before ${form} after`)).toMatch(pattern)
    const clean = redactedBody([...`x ${form} y`].map((one) => Buffer.from(one))).toString()
    expect(clean).toMatch(/^x .{0,8}\[api key\].?(?:%3D)* y$/)
  })

  test.each([
    ['if the body ends inside an escape', 'sk-Tq7vW\\u00', '[api key]\\u00'],
    [
      'over events that are not JSON',
      'data: Key: sk-Tq\n\ndata: 7vW2n\n\ndata: X9b.\n\n',
      'data: Key: [api key]\n\ndata: \n\ndata: .\n\n',
    ],
  ])('is replaced %s', (_, body, clean) => {
    expect(redactedBody([Buffer.from(body)]).toString()).toBe(clean)
  })

  test('is not replaced within its own mark', () => {
    const named = createRedactor([{ name: 'api key', value: 'api key' }])
    expect(named.text('my api key')).toBe('my [api key]')
    expect(named.text('my [api key]')).toBe('my [api key]')
  })

  test('is replaced in output that remains valid JSON', () => {
    const value = 'nTq7vW2nX9bTq7vW2'
    const written = JSON.stringify({ a: `line\nTq7vW2nX9bTq7vW2`, b: `it is ${value}` })
    const clean = createRedactor([{ name: 'api key', value }]).output(written)
    expect(JSON.parse(clean).b).toBe('it is [api key]')
  })

  test.each(['violated', 'test', 'EMPTY', 'password', '20261122'])(
    'keeps words and numbers of a report for the key %s',
    (value) => {
      const written = `{"outcome":"${value}","at":${value}}`
      expect(createRedactor([{ name: 'api key', value }]).output(written)).toBe(written)
    },
  )
})

test('an id that begins with the last hexadecimal digits of a key is kept', () => {
  const value = 'sk-0123456789abcdef7nG'
  const digits = Buffer.from(value).toString('hex')
  const { output } = createRedactor([{ name: 'key', value }])
  const id = `"${digits.slice(-6)}5c-0d62-41d1-896f-3fba4aa7d6ea"`
  expect(output(id)).toBe(id)
  expect(output(`"${digits.slice(-12)}"`)).toBe('"[key]"')
})

const redactorOf = (value: string, ordinary = '') =>
  createRedactor([{ name: 'api key', value, ordinary }])

describe('a part of a key', () => {
  const keys = fc.stringMatching(/^(?:[A-Za-z][0-9]){6,16}$/)
  const around = fc.constantFrom('', ' ', '"', '": "', '***', '(', 'x-', '\n', '{"error":"key ')
  const encodings: Record<string, (piece: string) => string> = {
    plain: (piece) => piece,
    'the other letter case': (piece) => piece.toUpperCase(),
    hexadecimal: (piece) => Buffer.from(piece).toString('hex'),
    'base64 of the piece': (piece) => Buffer.from(piece).toString('base64'),
    'base64 after another byte': (piece) => Buffer.from(`:${piece}`).toString('base64'),
    'percent codes': (piece) =>
      piece.replaceAll(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`),
    'JSON escapes': (piece) =>
      piece.replaceAll(/./g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`),
  }

  test.each(Object.entries(encodings))(
    'of eight characters or more is found in %s',
    (_, encode) => {
      forAll(keys, fc.nat(), fc.nat(), around, around, (key, at, more, before, after) => {
        const from = at % (key.length - 7)
        const length = 8 + (more % (key.length - from - 7))
        const written = encode(key.slice(from, from + length))
        const clean = redactorOf(key).text(`${before}${written}${after}`)
        expect(clean).toContain('[api key]')
        // The remaining base64 at both ends contains bits of other bytes, or of a part of a character.
        expect(clean.length).toBeLessThanOrEqual(
          before.length + after.length + '[api key]'.length + 6,
        )
      })
    },
  )

  test('is found in reports and streams', () => {
    const key = 'sk-Hq7+zP/9=aB4cD2eF8gK'
    const { output, exchange } = redactorOf(key)
    expect(output(`incorrect key ${key.slice(-12)}.`)).toBe('incorrect key [api key].')
    const event = (delta: string) => `data: {"delta":"${delta}"}\n\n`
    const answer = event(key.slice(5, 11)) + event(key.slice(11, 17))
    const clean = exchange(sketched({ answer }))
    const bytes = Buffer.from(bodyBytes(clean))
    expect(bytes.toString()).toBe(event('[api key]') + event(''))
  })

  test.each([
    ['sk-hostile-t', 'sk-hostile-targets-4711'],
    ['targets-4711', 'sk-hostile-targets-4711'],
  ])('of common words (%s) is replaced only as a word of its own', (piece, words) => {
    expect(redactorOf(words).text(`key ${piece}…`)).toContain('[api key]')
    expect(redactorOf(words).text(`a${piece}s`)).toBe(`a${piece}s`)
  })
})

describe('common text that a key contains', () => {
  test.each([
    ['test-key-123', 'a test-key of the document'],
    ['emergency-key-42', 'idempotency-key: 1'],
    ['assistant-key-77', '{"role":"assistant","object":"chat.completion.chunk"}'],
    ['my-messageId-key', '{"messageId":1}'],
    ['sk-chatgen-conformance-1', 'user-agent: chatgen-conformance/0.1.0'],
    ['response-output-text-delta', 'event: response.output_text.delta'],
    ['key-2026-11-23-prod', 'date: 2026-11-23'],
    ['organization-wide-key', 'the organization of the customer'],
  ])('is kept for the key %s', (key, text) => {
    expect(redactorOf(key).text(text)).toBe(text)
    expect(redactorOf(key).output(text)).toBe(text)
  })

  test('is kept if the profile contains it, without the rest of the key', () => {
    const { text } = redactorOf('acme-chat-prod2-9f3a8c', '{"models":{"main":"Acme-chat-prod2"}}')
    expect(text('{"id":"acme-chat-prod2"}')).toBe('{"id":"acme-chat-prod2"}')
    expect(text('key acme-chat-prod2-9f…')).toBe('key [api key]…')
  })
})

describe('the credential of a request', () => {
  const marked = (key: string, authorization: string) => {
    const nearMiss = { name: 'api key without its last character', value: key.slice(0, -1) }
    const { request } = createRedactor([{ name: 'api key', value: key, ordinary: '' }, nearMiss])
    return request(sketched({ authorization }).request).headers[0]?.[1]
  }
  const basic = (key: string) => `Basic ${Buffer.from(`user:${key}`).toString('base64')}`

  test.each(['k1', 'abc', 'abcd', 'abcde', 'abcdefg', 'abcdefgh'])(
    'is replaced for the key %s of any length',
    (key) => {
      expect(marked(key, `Bearer ${key}`)).toBe('Bearer [api key]')
      expect(marked(key, `Token ${key}`)).toBe('Token [api key]')
      expect(marked(key, key)).toBe('[api key]')
      expect(marked(key, `Bearer ${key}x`)).toBe('Bearer [api key]x')
      expect(marked(key, `Bearer ${key.slice(0, -1)}`)).toBe(
        'Bearer [api key without its last character]',
      )
      expect(marked(key, basic(key))).toMatch(/^Basic dXNlcjp\[api key\][A-Za-z0-9]?=*$/)
    },
  )

  test.each(['k1', 'abcdefgh', 'sk-Hq7+zP/9=aB4cD2eF8gK'])(
    'of another key is kept for the key %s',
    (key) => {
      const wrong = 'q'.repeat(key.length)
      expect(marked(key, `Bearer ${wrong}`)).toBe(`Bearer ${wrong}`)
      expect(marked(key, basic(wrong))).toBe(basic(wrong))
      const similar = `${key.slice(0, 12)}${wrong}`
      if (key.length > 12) expect(marked(key, `Bearer ${similar}`)).toBe(`Bearer ${similar}`)
    },
  )
})

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Modules that may write by themselves, with the reason. */
const exempt: Readonly<Record<string, string>> = {
  'harness/client/redaction/redacting-writer.ts': 'the funnel itself',
  'harness/cli/terminal/io.ts': 'listens to the errors of the streams, and asks for their size',
  'harness/cli/terminal/status.ts': 'redraws text that was cleaned',
  'harness/cli/commands/ui.ts': 'reads the output of a comparison, which is redacted',
  'harness/load/record.ts': 'writes from the main thread at once, with redacted texts',
  'harness/load/bench/bare-server.ts': 'tells its parent process the port',
  'harness/containers/start.ts': 'writes the published port of a service, and no key',
  'harness/certification/bundle.ts': 'packs files that are redacted already, and a public key',
  'harness/certification/verify/verify.ts': 'unpacks a bundle to judge it again',
  'harness/cli/commands/bundles.ts': 'copies the pages of bundles',
  'harness/proof/certified/certified.ts': 'certifies servers of the proof, whose keys are made up',
  'harness/library/chatgen-process.ts': 'hands a profile, without its keys, to its own process',
  'harness/cli/runner/programs.ts':
    'hands a job with its keys to its own processes, in a private file; reads the output of docker and kubectl',
  'harness/cli/runner/kubernetes.ts': 'reads the output of kubectl',
  'harness/cli/runner/flags.ts': 'reads the output of docker',
  'harness/cli/results/folder-lock.ts': 'writes a process id and its start time',
  'harness/cli/serve/answers.ts': 'records the answers of the fake model, which knows no key',
}

const names =
  /\b(?:write|append)File(?:Sync)?\b|\bcreateWriteStream\b|\b(?:write|writev|copyFile|cp)Sync\b|\bopenSync\([^)]*, *'[^r]/
const streams =
  /\bprocess\s*\.\s*(?:stdout|stderr)\b|\bconsole\s*\.\s*\w+\(|\bstdout\s*[,}]|\bstderr\s*[,}]/

test('all modules write through the redacting writer', () => {
  const around = sources().flatMap((file) => {
    const text = read(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    if (file in exempt) return []
    return names.test(text) || streams.test(text) ? [file] : []
  })
  expect(around).toEqual([])
})

test('status lines are redacted before they are drawn', () => {
  const redrawing = sources().filter((file) => /\bclearScreenDown\(/.test(read(file)))
  expect(redrawing).toEqual(['harness/cli/terminal/status.ts'])
  expect(read('harness/cli/terminal/status.ts').match(/text\.drawn\(/g)).toHaveLength(1)
  expect(read('harness/cli/terminal/status.ts')).toContain('clean(text.drawn(')
})

test('exempt modules exist', () => {
  expect(sources()).toEqual(expect.arrayContaining(Object.keys(exempt)))
})

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** Sources of chatgen, without tests, code that only tests and scripts use, and the reference server. */
function sources(): readonly string[] {
  return ['harness', 'reports', 'suites'].flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((file) => !file.includes('test-support')),
  )
}
