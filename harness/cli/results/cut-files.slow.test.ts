import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { chatgen, emptyFolder } from '../test-support/chatgen.ts'
import { inProcess } from '../test-support/in-process.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

/** Stored files truncated at any byte: an error that names the file and exit code 2, or the rest. */

const folder = emptyFolder()
const whole = join(folder, 'whole')
const cut = join(folder, 'cut')

beforeAll(async () => {
  await using server = await startModelsServer({ open: true })
  const args = ['--only', 'OAI-AUTH-0*', '--only', 'OAI-MODELS-01', '--out', 'whole']
  await chatgen(['check', server.url, ...args], { CHATGEN_API_KEY: key }, folder)
  mkdirSync(cut)
})

describe('report.json', () => {
  test.each([
    ['report', () => ['report', cut]],
    ['report as HTML', () => ['report', cut, '--report', 'html', '--out', '-']],
    ['compare, as A', () => ['compare', cut, whole, '--no-rejudge']],
    ['compare, as B', () => ['compare', whole, cut, '--no-rejudge']],
  ])('%s refuses it', async (_, args) => {
    await everyCut('report.json', async (isWhole) => {
      const { code, text } = await run(args())
      if (isWhole) return
      expect(text).toMatch(/cut.report\.json is no(t valid)? JSON/)
      expect(code).toBe(2)
    })
  })
})

describe('run.json', () => {
  test('rejudge refuses it', async () => {
    // A complete file would be judged, which tests of rejudge cover.
    await everyCut('run.json', async (isWhole) => {
      if (isWhole) return
      const { code, text } = await run(['rejudge', cut, '--out', join(folder, 'rejudged')])
      expect(text).toMatch(/the settings of the run cannot be read/)
      expect(code).toBe(2)
    })
  })

  test('compare goes on without it, and says so', async () => {
    await everyCut('run.json', async (isWhole) => {
      const { code, text } = await run(['compare', whole, cut, '--no-rejudge'])
      if (!isWhole) expect(text).toContain('not compared: a run has no run.json')
      expect(code).toBe(0)
    })
  })
})

describe('exchanges.ndjson', () => {
  test.each([
    ['report', () => ['report', cut]],
    ['compare', () => ['compare', cut, whole, '--no-rejudge']],
  ])('%s tells that it is not what the run wrote', async (_, args) => {
    await everyCut('exchanges.ndjson', async (isWhole, length) => {
      const { code, text } = await run(args())
      if (isWhole && length === storedText('exchanges.ndjson').length) return
      expect(text).toContain('exchanges.ndjson was edited after the run')
      expect(code).toBe(2)
    })
  })

  test('rejudge judges what is left, and ends as for edited evidence', {
    timeout: 120_000,
  }, async () => {
    const text = storedText('exchanges.ndjson')
    for (const at of [0, Math.floor(text.length / 3)]) {
      cutAt('exchanges.ndjson', at)
      const { code, stderr } = await chatgen(['rejudge', cut, '--out', 'rejudged'], {}, folder)
      expect(stderr).not.toMatch(/internal error/i)
      expect(stderr).toContain('exchanges.ndjson was edited after the run')
      expect(code).toBe(2)
    }
  })
})

function storedText(name: string): string {
  return readFileSync(join(whole, name), 'utf8')
}

function cutAt(name: string, length: number): void {
  cpSync(whole, cut, { recursive: true, force: true })
  writeFileSync(join(cut, name), storedText(name).slice(0, length))
}

/** Runs a check for random cuts and for those at both ends. `isWhole`: only the last line feed is missing. */
async function everyCut(
  name: string,
  check: (isWhole: boolean, length: number) => Promise<void>,
): Promise<void> {
  const text = storedText(name)
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length), async (length) => {
      cutAt(name, length)
      await check(length >= text.trimEnd().length, length)
    }),
    { numRuns: 60, examples: [[0], [1], [text.length - 2], [text.length - 1], [text.length]] },
  )
}

async function run(args: readonly string[]) {
  const { code, stdout, stderr } = await inProcess(args)
  return { code, text: stdout + stderr }
}
