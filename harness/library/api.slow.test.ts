import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { emptyFolder } from '../cli/test-support/chatgen.ts'

const files = ['index', 'vitest', 'conformance', 'load', 'reference-server', 'chatgen-process']

test('the declarations of the library are those of the API report: vitest --update=all writes it', async () => {
  const script = fileURLToPath(new URL('../../scripts/write-types.ts', import.meta.url))
  const folder = emptyFolder()
  execFileSync(process.execPath, [script, folder])
  const texts = files.map((name) => {
    const text = readFileSync(join(folder, `harness/library/${name}.d.ts`), 'utf8')
    return `// ${name}\n${text}`
  })
  await expect(texts.join('\n')).toMatchFileSnapshot('./api-report.txt')
}, 120_000)

test('it exports few names', () => {
  const lines = readFileSync(new URL('./index.ts', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  expect(lines.length).toBeLessThan(40)
})
