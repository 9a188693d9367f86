import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { ConfigurationError } from '../errors.ts'
import { loadProfile } from './read-profile.ts'

const whole =
  'baseUrl: http://127.0.0.1:9\napiKey: sk-4711\nheaders: { x-a: "b" }\nlimits:\n  timeoutMs: 5\n'

const laughs = Array.from('abcdefghi', (name, at, names = 'abcdefghi') => {
  const inner = at === 0 ? 'x' : `*${names[at - 1]}`
  return `${name}: &${name} [${Array(10).fill(inner).join()}]`
}).join('\n')

test.each([
  ['aliases that multiply', laughs, /alias/i],
  ['an anchor in itself', 'a: &a [*a]', /contains itself/],
  ['a duplicate key', 'baseUrl: http://h\nbaseUrl: http://i\n', /unique/],
  ['lists in lists', `a: ${'['.repeat(8_000)}${']'.repeat(8_000)}`, /nested/],
  [
    'mappings in mappings',
    `a: ${'{a: '.repeat(5_000)}1${'}'.repeat(5_000)}`,
    /nested|no such field/,
  ],
  ['a file of megabytes', `baseUrl: http://h\n${'# x\n'.repeat(1_000_000)}`, /4000018 characters/],
  ['UTF-16', Buffer.from(whole, 'utf16le').toString(), /./],
  ['a NUL', 'baseUrl: "http://h"\n\0', /./],
  ['a list', '- a', /mapping of fields/],
])(
  'a profile with %s is refused in a sentence',
  (_, text, sentence) => {
    const read = () => loadProfile({ name: 'p.yaml', text }, {})
    expect(read).toThrow(ConfigurationError)
    expect(read).toThrow(sentence)
  },
  20_000,
)

test.each([
  ['a byte order mark', `\ufeff${whole}`],
  ['CRLF', whole.replaceAll('\n', '\r\n')],
])('%s is harmless', (_, text) => {
  const plain = loadProfile({ name: 'p.yaml', text: whole }, {})
  expect(loadProfile({ name: 'p.yaml', text }, {})).toEqual(plain)
})

/** Address in the file, or the sentence of its refusal; any other error propagates. */
function read(text: string): string {
  try {
    return loadProfile({ name: 'p.yaml', text }, { A: 'a' }).baseUrl
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.message
  }
}

const names = fc.constantFrom('baseUrl', 'apiKey', 'limits', 'tools', 'v2Chat', 'headers', 'x')
const odd = fc.constantFrom('http://h', `\${A}`, `\${`, true, { ids: [] }, { timeoutMs: 1 }, [null])
const profiles = fc.dictionary(names, fc.oneof(fc.jsonValue(), odd))
const signs = [
  ...'a{}[]|>"\'#%~',
  ': ',
  '- ',
  '\n',
  '  ',
  '&a ',
  '*a',
  '!!set ',
  '? ',
  '---\n',
  '<<',
]

test.each([
  ['YAML', profiles.map((value) => stringify(value))],
  ['JSON', profiles.map((value) => JSON.stringify(value))],
  ['any text', fc.string({ unit: 'binary' })],
  [
    'signs of YAML',
    fc.array(fc.constantFrom(...signs), { maxLength: 30 }).map((all) => all.join('')),
  ],
  [
    'a profile with any byte in any place',
    fc
      .tuple(fc.nat(whole.length), fc.string({ unit: 'binary', maxLength: 4 }))
      .map(([at, byte]) => whole.slice(0, at) + byte + whole.slice(at + 1)),
  ],
])('%s is read or refused in a sentence', (_, texts) => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(read(text)).not.toBe('')
    }),
    { numRuns: 300 },
  )
})

test('a profile that is cut at any place is read or refused in a sentence', () => {
  for (let at = 0; at <= whole.length; at += 1) expect(read(whole.slice(0, at))).not.toBe('')
})
