import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLParser } from 'fast-xml-parser'
import { describe, expect, test } from 'vitest'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

/** The formats by the real bin, of a run with one violation. */

async function check(...args: readonly string[]) {
  const folder = emptyFolder()
  await using server = await startModelsServer({ open: true })
  const rows = ['--only', 'OAI-AUTH-01', '--only', 'OAI-MODELS-01', '--out', 'results']
  const ended = await chatgen(
    ['check', server.url, ...rows, ...args],
    { CHATGEN_API_KEY: key },
    folder,
  )
  const read = (file: string) => readFileSync(join(folder, 'results', file), 'utf8')
  return { ...ended, folder, read, files: readdirSync(join(folder, 'results')).toSorted() }
}

describe('chatgen check --report', () => {
  test('junit,markdown,badge writes files beside report.json', async () => {
    const { code, stdout, files, read } = await check('--report', 'junit,markdown,badge')
    expect(code).toBe(1)
    expect(stdout).toBe('Results: results\n')
    expect(files).toEqual(
      expect.arrayContaining([
        'badge.svg',
        'exchanges.ndjson',
        'report.json',
        'report.md',
        'report.xml',
      ]),
    )
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(read('report.xml'))
    expect(testsuites.testsuite.map((suite: object) => ({ ...suite }))).toMatchObject([
      { '@_name': 'OAI-AUTH', '@_tests': '1', '@_failures': '1', testcase: { failure: {} } },
      { '@_name': 'OAI-MODELS', '@_tests': '1', '@_failures': '0' },
    ])
    expect(read('report.md')).toMatch(/^## ❌ Violated\n/)
    expect(read('report.md')).toContain('curl -i http')
    expect(read('badge.svg')).toContain('<title>chatgen: violated, 1 passed, 1 violated')
  })

  test('github prints annotations, and stops commands in what else is printed', async () => {
    const { stdout } = await check('--report', 'console,github')
    expect(stdout).toMatch(/^::error title=OAI-AUTH-01::/m)
    const [, token = ''] = stdout.match(/^::stop-commands::(\S+)\nVIOLATED/) ?? []
    expect(token.length).toBeGreaterThan(20)
    expect(stdout.indexOf(`::${token}::\n`)).toBeLessThan(stdout.indexOf('::notice'))
  })

  test('where GitHub reads along, commands are stopped without that format as well', async () => {
    const { folder } = await check('--quiet')
    const { stdout } = await chatgen(['report', 'results'], { GITHUB_ACTIONS: 'true' }, folder)
    expect(stdout).toMatch(/^::stop-commands::(\S{20,})\nVIOLATED[\s\S]*\n::\1::\n$/)
  })

  test('github leaves standard output to --json', async () => {
    const { stdout, stderr } = await check('--report', 'github', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'violated' })
    expect(stderr).toMatch(/^::error title=OAI-AUTH-01::/m)
  })
})
