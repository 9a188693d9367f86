// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a profile names its variables so

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { areaOf, requirementIds } from '../../../contract/index.ts'
import { forAll, forSome } from '../../../contract/test-support/for-all.ts'
import { maxTimerMs, timerLimitText } from '../../../contract/timer.ts'
import { ConfigurationError } from '../errors.ts'
import { secretsOf } from '../session/secrets.ts'
import { problemsIn } from '../test-support/reports.ts'
import { loadProfile, profileOfEndpoint } from './index.ts'
import { limits } from './schema-requests.ts'
import { profileNames, type Selection, selectRequirements, surfacesOf } from './selection.ts'

function load(text: string, environment = {}, overrides = {}) {
  return loadProfile({ name: 'target.yaml', text }, environment, overrides)
}

function problemsOf(text: string, environment = {}): readonly string[] {
  return problemsIn(() => load(text, environment))
}

test('docs/limits.md shows all limits with their defaults', () => {
  const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8')
  const [, example = ''] = /```yaml\n([^`]*)```/.exec(page) ?? []
  expect(parse(example)).toEqual({ limits: load('baseUrl: http://localhost:4010').limits })
})

describe('a profile', () => {
  test('has the alias of section 2.1 only for the default main model', () => {
    const aliasesOf = (models: string) =>
      load(`baseUrl: http://a.example\n${models}`).models.aliases
    expect(aliasesOf('')).toEqual(['SVC-Main'])
    expect(aliasesOf('models: { vision: eyes }')).toEqual(['SVC-Main'])
    expect(aliasesOf('models: { main: gpt-4 }')).toEqual([])
    expect(aliasesOf('models: { main: gpt-4, aliases: [gpt] }')).toEqual(['gpt'])
  })

  test('treats headers with names of credentials as secrets', () => {
    const header = (name: string) => {
      const profile = load(`baseUrl: http://a.example\nheaders: { ${name}: "Bearer swordfish" }`)
      return secretsOf({ profile }).some(({ value }) => value === 'swordfish')
    }
    const secret = [
      'Proxy-Authorization',
      'X-Api-Key',
      'api-keys',
      'Cookie',
      'x-token',
      'X-Api-Key-V2',
    ]
    expect(secret.filter((name) => !header(name))).toEqual([])
    const plain = ['X-Tenant', 'x-portkey-provider', 'Accept-Language', 'X-Keyboard', 'X-Design']
    expect(plain.filter(header)).toEqual([])
  })

  test('treats values of variables in headers and queries as secrets unless they are ordinary', () => {
    const text = `baseUrl: http://\${HOST}\nheaders: { X-A: "a \${GATE}", X-B: "\${HOST}", X-C: "\${FLAG}" }
v2Chat: { create: { path: /a, query: { code: "\${CODE}" } } }`
    const environment = {
      GATE: 'gate-4711',
      HOST: 'host-4711.example',
      FLAG: 'true',
      CODE: 'code-4711',
    }
    const profile = loadProfile({ name: 'target.yaml', text }, environment)
    expect(secretsOf({ profile: profileOfEndpoint(profile, profile) })).toEqual([
      { name: 'header x-a', value: 'gate-4711' },
      { name: 'query code', value: 'code-4711' },
    ])
  })

  test('has one endpoint or several', () => {
    const several = load('baseUrls: [http://a.example/, http://b.example]')
    expect(several.baseUrl).toBe('http://a.example')
    expect(several.baseUrls).toEqual(['http://a.example', 'http://b.example'])
    expect(load('baseUrls: [http://a.example/]')).toEqual(load('baseUrl: http://a.example'))
    const two = 'baseUrls: [http://a.example, http://b.example]'
    const replaced = load(two, {}, { baseUrl: 'http://c.example' })
    expect(replaced).toEqual(load('baseUrl: http://c.example'))
    expect(problemsOf('baseUrls: [http://a.example, http://a.example/]')).toEqual([
      'target.yaml:1: baseUrls.1: the same endpoint is listed twice',
    ])
    expect(problemsOf('baseUrl: http://b.example\nbaseUrls: [http://a.example]')).toEqual([
      'target.yaml:2: baseUrls: excludes baseUrl: list all endpoints in baseUrls',
    ])
  })

  test('requires only baseUrl', () => {
    expect(load('baseUrl: http://localhost:4010/')).toEqual({
      baseUrl: 'http://localhost:4010',
      models: { main: 'svc-main-model', aliases: ['SVC-Main'], vision: 'SVC-Vision' },
      capabilities: {},
      deterministic: false,
      recall: { tell: 'My name is {nonce}.', ask: 'What is my name?' },
      requests: {},
      shapes: {},
      headers: {},
      limits: {
        ...{ timeoutMs: 60_000, settleMs: 2_000, retryAfterMs: 60_000, runMs: 14_400_000 },
        ...{ runBytes: 4_294_967_296, bodyBytes: 8_388_608, streamBytes: 16_777_216 },
        ...{ lineBytes: 4_194_304, streamEvents: 40_000 },
        ...{ jsonDepth: 200, historyRows: 10_000, pages: 500 },
      },
    })
  })

  const flag = { baseUrl: 'http://flag' }

  test.each<[string, string, object, object?]>([
    ['may be JSON', '{"baseUrl":"http://h","deterministic":true}', { deterministic: true }],
    ['may be empty if the command line has the rest', '', flag, flag],
    [
      'is overridden by the command line',
      'baseUrl: http://h\napiKey: own',
      { ...flag, apiKey: 'own' },
      flag,
    ],
    ['expands variables', 'baseUrl: http://${HOST}:${PORT}', { baseUrl: 'http://local:80' }],
    [
      'expands variables within a text',
      'baseUrl: http://h\nheaders: { X-Tenant: "a ${HOST} b" }',
      { headers: { 'X-Tenant': 'a local b' } },
    ],
    ['does not expand variables twice', 'baseUrl: http://h\napiKey: ${A}', { apiKey: '${B}' }],
  ])('%s', (_, text, expected, overrides = {}) => {
    const environment = { HOST: 'local', PORT: '80', A: '${B}', B: 'no' }
    expect(load(text, environment, overrides)).toMatchObject(expected)
  })
})

describe('a mistake is reported with file, line and field', () => {
  test.each([
    ['apikey: k', '2: apikey: there is no such field. Did you mean apiKey?'],
    [
      '\nlimits:\n  timeoutMs: 1\n  setleMs: 2',
      '5: limits.setleMs: there is no such field. Did you mean settleMs?',
    ],
    [
      'capabilities: { knowlege: true }',
      '2: capabilities.knowlege: there is no such field. Did you mean knowledge?',
    ],
    ['weather: fine', '2: weather: there is no such field.'],
    ['deterministic: maybe', '2: deterministic: invalid input: expected boolean, received string'],
    ['recall: { tell: My name is Bo. }', '2: recall.tell: must contain {nonce}'],
    ['shapes:\n  chatId: id', '3: shapes.chatId: must be a JSON pointer such as /chat/id'],
    ['apiKey: ${KEY}', '2: apiKey: the variable KEY is not set'],
  ])('for %j', (text, problem) => {
    expect(problemsOf(`baseUrl: http://h\n${text}`)).toEqual([`target.yaml:${problem}`])
  })

  test.each([
    ['an invalid URL', 'baseUrl: localhost', ['target.yaml:1: baseUrl: invalid URL']],
    ['a URL with another scheme', 'baseUrl: ftp://h', ['target.yaml:1: baseUrl: invalid URL']],
    ['a tab', 'limits:\n\ta: 1', ['target.yaml:2: Tabs are not allowed as indentation']],
    ['a list', '- a\n- b', ['target.yaml: a profile is a mapping of fields']],
    ['an alias without an anchor', 'baseUrl: *host', [expect.stringContaining('target.yaml: ')]],
    ['an anchor within itself', 'headers: &h\n  a: *h', ['target.yaml: an anchor contains itself']],
    [
      'JSON that breaks off',
      '{ "baseUrl": "http://h",\n  "limits": {',
      expect.arrayContaining([expect.stringMatching(/^target\.yaml:2: /)]),
    ],
  ])('for %s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })

  test('together with all others', () => {
    const text = 'baseUrl: 7\nmodel: x\nlimits:\n  timeoutMs: -1'
    const lines = problemsOf(text).map((problem) => problem.split(': ').slice(0, 2).join(' '))
    expect(lines).toEqual([
      'target.yaml:1 baseUrl',
      'target.yaml:4 limits.timeoutMs',
      'target.yaml:2 model',
    ])
  })

  test('without the value of a variable', () => {
    const problems = problemsOf('baseUrl: ${SECRET}', { SECRET: 'sk-live-1234' })
    expect(problems.join()).not.toContain('sk-live-1234')
  })
})

test('limits in milliseconds are rejected above the maximum of a timer', () => {
  const times = Object.keys(limits.unwrap().shape).filter((name) => name.endsWith('Ms'))
  expect(times).toHaveLength(4)
  for (const name of times) {
    const refusal = (ms: number) => limits.safeParse({ [name]: ms }).error?.issues[0]
    expect(refusal(maxTimerMs)).toBeUndefined()
    const long = fc.double({ min: maxTimerMs + 1, noNaN: true, noDefaultInfinity: true })
    forAll(long, (ms) => {
      expect(refusal(ms)).toMatchObject({ path: [name], message: timerLimitText })
    })
  }
})

test('requestsPerSecond is rejected if its interval is above the maximum of a timer', () => {
  expect(limits.safeParse({ requestsPerSecond: 1 / maxTimerMs }).success).toBe(false)
  expect(limits.safeParse({ requestsPerSecond: 0.001 }).success).toBe(true)
})

const whole =
  'baseUrl: http://127.0.0.1:9\napiKey: sk-4711\nheaders: { x-a: "b" }\nlimits:\n  timeoutMs: 5\n'

const laughs = Array.from('abcdefghi', (name, at, names = 'abcdefghi') => {
  const inner = at === 0 ? 'x' : `*${names[at - 1]}`
  return `${name}: &${name} [${Array(10).fill(inner).join()}]`
}).join('\n')

test.each([
  ['aliases that multiply', laughs, /alias/i],
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
])(
  'a profile with %s is rejected with a message',
  (_, text, sentence) => {
    expect(problemsOf(text).join()).toMatch(sentence)
  },
  20_000,
)

test.each([
  ['a byte order mark', `\ufeff${whole}`],
  ['CRLF', whole.replaceAll('\n', '\r\n')],
])('a profile with %s is accepted', (_, text) => {
  expect(load(text)).toEqual(load(whole))
})

const names = fc.constantFrom('baseUrl', 'apiKey', 'limits', 'tools', 'v2Chat', 'headers', 'x')
const odd = fc.constantFrom('http://h', `\${A}`, `\${`, true, { ids: [] }, { timeoutMs: 1 }, [null])
const profiles = fc.dictionary(names, fc.oneof(fc.jsonValue(), odd))
const signs = `a{}[]|>"'#%~`.split('').concat(': ', '- ', '\n', '  ', '&a ', '*a', '!!set ', '? ')

test.each(
  Object.entries({
    YAML: profiles.map((value) => stringify(value)),
    JSON: profiles.map((value) => JSON.stringify(value)),
    'any text': fc.string({ unit: 'binary' }),
    'signs of YAML': fc
      .array(fc.constantFrom(...signs, '---\n', '<<'), { maxLength: 30 })
      .map((all) => all.join('')),
  }),
)('a profile of %s is accepted or rejected with a message', (_, texts) => {
  forSome(300, texts, (text) => {
    expect(problemsOf(text, { A: 'a' })).not.toContain('')
  })
})

function select(more: Partial<Selection>) {
  return selectRequirements({ profile: 'full', only: [], skip: [], ...more })
}

describe('a selection', () => {
  test('without filters is the whole catalog in order', () => {
    expect(select({})).toEqual(requirementIds)
  })

  test.each(profileNames)('of the profile %s has requirements of its surfaces only', (profile) => {
    const surfaces: readonly string[] =
      profile === 'full' ? ['openai', 'v2', 'v3'] : [profile === 'wire' ? 'openai' : profile]
    const requirements = select({ profile })
    expect(requirements.length).toBeGreaterThan(20)
    expect(requirements.flatMap(surfacesOf).filter((one) => !surfaces.includes(one))).toEqual([])
  })

  test('of the profile wire omits requirements of the interface document alone', () => {
    const wire = select({ profile: 'wire' })
    expect(wire).toContain('OAI-CHAT-01')
    const rest = select({ profile: 'openai' }).filter((id) => !wire.includes(id))
    expect(rest).toEqual([
      ...['OAI-AUTH-03', 'OAI-TEMP-02', 'OAI-ERR-01', 'OAI-ERR-02'],
      ...['OAI-MODELS-02', 'OAI-MODELS-03', 'OAI-MODELS-04'],
    ])
  })

  test.each([
    ['an id in lower case', 'v3-idem-02', ['V3-IDEM-02']],
    ['a glob', 'OAI-TEMP-*', ['OAI-TEMP-01', 'OAI-TEMP-02']],
    ['a glob with a question mark', 'OAI-TEMP-0?', ['OAI-TEMP-01', 'OAI-TEMP-02']],
    ['words of a title', '*temperature outside*', ['OAI-TEMP-02']],
  ])('accepts %s', (_, glob, rows) => {
    expect(select({ only: [glob] })).toEqual(rows)
  })

  test('excludes skipped requirements, even if they are in only', () => {
    expect(select({ only: ['OAI-TEMP'], skip: ['*-02'] })).toEqual(['OAI-TEMP-01'])
  })

  test.each([
    ['V3-IDME-02', 'V3-IDEM-02'],
    ['OAI-STRAEM', 'OAI-STREAM'],
    ['v3-hsit', 'V3-HIST'],
  ])('of the unknown id %s suggests %s', (glob, suggestion) => {
    expect(() => select({ only: [glob] })).toThrow(`Did you mean ${suggestion}?`)
    expect(() => select({ skip: [glob] })).toThrow(ConfigurationError)
  })

  test('of an unknown word makes no suggestion', () => {
    expect(() => select({ only: ['weather'] })).toThrow(/nothing in the catalog matches weather\.$/)
  })

  test('without any requirement is rejected', () => {
    expect(() => select({ profile: 'openai', only: ['V3-IDEM'] })).toThrow(
      'no requirement is selected',
    )
    expect(() => select({ skip: ['*'] })).toThrow(ConfigurationError)
  })

  test('names each glob without a match', () => {
    const names = () => select({ only: ['weather'], skip: ['climate'] })
    expect(names).toThrow('weather')
    expect(names).toThrow('climate')
  })
})

test('any glob selects requirements or is rejected', () => {
  forAll(fc.string(), (glob) => {
    try {
      const ids = select({ only: [glob] })
      expect(ids.length).toBeGreaterThan(0)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError)
    }
  })
})

test('each id and each area selects itself', () => {
  for (const id of requirementIds) {
    expect(select({ only: [id] })).toEqual([id])
    expect(select({ only: [areaOf(id)] })).toContain(id)
  }
})
