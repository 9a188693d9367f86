import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { disputes, have } from './test-support/disputes.ts'

/** Compares docs/disputes.md with real output. */

const page = readFileSync(new URL('../../docs/disputes.md', import.meta.url), 'utf8')
const excerpts = [...page.matchAll(/<!-- evidence: (.+) -->\n```\n([\s\S]*?)\n```/g)].map(
  ([, name = '', text = '']) => ({ name, text }),
)

test('every dispute has its evidence on the page', () => {
  expect(excerpts.map(({ name }) => name)).toEqual(Object.keys(disputes))
})

test.concurrent.for(excerpts)('$name', { timeout: 240_000 }, async ({ name, text }) => {
  const dispute = disputes[name] ?? { args: [] }
  const { stdout, code } = await have(dispute)
  for (const paragraph of text.split('\n\n'))
    expect(timeless(stdout)).toContain(timeless(paragraph))
  expect(code).toBe(text.includes('INCOMPLETE') ? 5 : 0)
  const command = `--target target.yaml ${dispute.args.map(quoted).join(' ')}`
  if (name !== 'a slow model, with patience') expect(page).toContain(command)
})

function timeless(text: string): string {
  return text.replaceAll(/\d+ ms/g, '… ms')
}

function quoted(word: string): string {
  return word.includes('*') ? `'${word}'` : word
}
