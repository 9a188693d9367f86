import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { growth } from '../../contract/test-support/growth.ts'
import { readDirectives } from './directives.ts'

const nothing = { tools: [], refuse: false, pace: {}, mistyped: [] }

it.each([
  ['plain text', nothing],
  ['[[tokens=200]] please', { ...nothing, tokens: 200 }],
  ['[[tokens=999999999]]', { ...nothing, tokens: 100_000 }],
  ['Well, [[say=one\ntwo]] and [[refuse]]', { ...nothing, say: 'one\ntwo', refuse: true }],
  ['[[error=503]]', { ...nothing, error: 503 }],
  ['[[drop=3]]', { ...nothing, disruption: { kind: 'drop', afterTokens: 3 } }],
  ['[[stall=0]]', { ...nothing, disruption: { kind: 'stall', afterTokens: 0 } }],
  ['[[fail=0]][[think=3]]', { ...nothing, fail: 0, think: 3 }],
  [
    '[[pace=ttft=5ms,gap=1ms]]',
    { ...nothing, pace: { ttftMs: 5, ttftSigma: 0, gapMs: 1, gapSigma: 0 } },
  ],
])('reads %j', (prompt, expected) => {
  expect(readDirectives(prompt)).toEqual(expected)
})

it('reads several tool calls with brackets in their arguments', () => {
  const prompt =
    '[[tool=get_time {"zone":"UTC"}]] [[tool=get_weather]] [[tool=plot {"rows":[[1,2],[3]]}]]'
  expect(readDirectives(prompt).tools).toEqual([
    { name: 'get_time', arguments: '{"zone":"UTC"}' },
    { name: 'get_weather', arguments: '{}' },
    { name: 'plot', arguments: '{"rows":[[1,2],[3]]}' },
  ])
})

it.each([
  '[[tokens=many]]',
  '[[tokens=-1]]',
  '[[error=200]]',
  '[[error=600000]]',
  '[[pace=quick]]',
  '[[pace=ttft=999999999s]]',
  '[[tool=get_time {zone}]]',
  '[[tool=]]',
  '[[nonsense=1]]',
  '[[drop]]',
  '[[Refuse]]',
  '[[Tokens=5]]',
  '[[max_tokens=5]]',
  '[[ tokens=5 ]]',
  '[[refuse ]]',
  '[[tokens = 5]]',
  '[[tokens: 5]]',
  '[[tokens 5]]',
  '[[tokens=5]',
])('treats a mistyped directive as text and reports it: %j', (prompt) => {
  const { error, ...read } = readDirectives(prompt)
  expect(read).toEqual({ ...nothing, mistyped: error === undefined ? [prompt] : [] })
  expect(error ?? 599).toBe(599)
})

it.each(['[tokens=1]', 'a [[link]] of a wiki', 'if [[ -f x ]]', '[[two words]]'])(
  'treats %j as text',
  (prompt) => {
    expect(readDirectives(prompt)).toEqual(nothing)
  },
)

it.each([
  ['a tool without an end', (length: number) => `[[tool=x {${']]'.repeat(length)}`],
  ['openings', (length: number) => '[['.repeat(length)],
  ['openings of a text', (length: number) => '[[say='.repeat(length)],
])('reads hostile prompts in linear time: %s', (_, prompt) => {
  expect(growth((length) => readDirectives(prompt(length)), 10_000)).toBeLessThan(64)
})

it('reads all directives of the documentation', () => {
  const page = readFileSync(new URL('../../docs/client-development.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `(\[\[.*?\]\])`/gm)].map(([, example = '']) => example)
  expect(documented).toHaveLength(11)
  for (const example of documented) {
    expect([example, readDirectives(example)]).not.toEqual([example, readDirectives('')])
  }
})
