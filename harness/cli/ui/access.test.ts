import { Command } from 'commander'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { environmentWithout, givenFlags } from '../commands/ui.ts'
import { refusal } from './server.ts'

const page = { port: 4321, token: 'a-token-of-this-page' }
const own = { host: '127.0.0.1:4321' }
const bearer = { authorization: `Bearer ${page.token}` }
const at = (path: string) => new URL(path, 'http://127.0.0.1:4321')
const withToken = at(`/view?token=${page.token}`)
const printed = at(`/?token=${page.token}`)
const script = at('/assets/app.mjs')
const elsewhere = { ...own, 'sec-fetch-site': 'cross-site' }

test.each([
  ['the printed address', 'GET', printed, own],
  ['a link on another site', 'GET', printed, { ...elsewhere, 'sec-fetch-mode': 'navigate' }],
  ['events', 'GET', withToken, { ...own, 'sec-fetch-site': 'same-origin' }],
  ['a button', 'POST', at('/run'), { ...own, ...bearer, origin: 'http://127.0.0.1:4321' }],
  ['the other name of the machine', 'GET', withToken, { host: 'localhost:4321' }],
  ['a script of the page', 'GET', script, own],
])('%s is let in', (_, method, url, headers) => {
  expect(refusal({ method, headers }, url, page)).toBeNull()
})

test.each([
  ['a name that resolves to this machine', 'GET', withToken, { host: 'evil.example:4321' }],
  ['another port in Host', 'GET', withToken, { host: '127.0.0.1:80' }],
  ['no Host', 'GET', withToken, {}],
  ['another origin', 'POST', at('/run'), { ...own, ...bearer, origin: 'http://127.0.0.1:9' }],
  ['a sandboxed frame', 'POST', at('/run'), { ...own, ...bearer, origin: 'null' }],
  ['an image on another site', 'GET', withToken, elsewhere],
  ['another port of the same site', 'GET', withToken, { ...own, 'sec-fetch-site': 'same-site' }],
  ['a script of the page, for another site', 'GET', script, elsewhere],
  ['a form with the token in its address', 'POST', at(`/run?token=${page.token}`), own],
  ['a file that climbs out of the assets', 'GET', at('/assets/../view'), own],
])('%s is refused', (_, method, url, headers) => {
  expect(refusal({ method, headers }, url, page)).not.toBeNull()
})

const { token } = page
const examples = ['', token, token.slice(0, -1), `${token} `, 'ä-token-of-this-pag']

test('only the token itself is the token', () => {
  fc.assert(
    fc.property(fc.string(), (token) => {
      const url = at(`/view?${new URLSearchParams({ token })}`)
      const isAllowed = refusal({ method: 'GET', headers: own }, url, page) === null
      expect(isAllowed).toBe(token === page.token)
    }),
    { examples: examples.map((token) => [token]) },
  )
})

const command = new Command('x')
  .option('--out <dir>')
  .option('--only <glob>')
  .option('--watch [path]')
  .option('--ui')
  .option('--no-color')

test.each([
  ['http://a --out dir --ui', '--out dir'],
  ['--only A http://a --only=B --ui', '--only A --only=B'],
  ['--watch --no-color http://a', '--watch --no-color'],
  ['--watch src --ui --out --', '--watch src --out --'],
])('%s without --ui and arguments is %s', (line, kept) => {
  expect(givenFlags(command, line.split(' '), ['ui']).join(' ')).toBe(kept)
})

test('a dropped flag takes its value along', () => {
  expect(givenFlags(command, ['--out', 'dir', '--only', 'A'], ['out'])).toEqual(['--only', 'A'])
  const env = { CHATGEN_OUT: 'dir', CHATGEN_DRY_RUN: 'true', CHATGEN_API_KEY: 'k', HOME: '/' }
  expect(environmentWithout(env, ['out', 'dryRun'])).toEqual({ CHATGEN_API_KEY: 'k', HOME: '/' })
})
