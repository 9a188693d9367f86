import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Modules that may write by themselves, with the reason. */
const exempt: Readonly<Record<string, string>> = {
  'harness/client/redaction/redacting-writer.ts': 'the funnel itself',
  'harness/cli/terminal/io.ts': 'listens to the errors of the streams, and asks for their size',
  'harness/cli/terminal/status.ts': 'redraws text that was cleaned',
  'harness/cli/ui/open-page.ts': 'reads the output of a comparison, which is redacted',
  'harness/load/requests-file.ts': 'writes from the main thread at once, with redacted texts',
  'harness/load/bench/bare-server.ts': 'tells its parent process the port',
  'harness/containers/source.ts': 'writes the published port of a service, and no key',
  'harness/certification/bundle.ts': 'packs files that are redacted already, and a public key',
  'harness/certification/verify/verify.ts': 'unpacks a bundle to judge it again',
  'harness/cli/commands/site.ts': 'copies the pages of bundles',
  'harness/proof/certified/certified.ts': 'certifies servers of the proof, whose keys are made up',
  'harness/library/chatgen-process.ts': 'hands a profile, without its keys, to its own process',
  'harness/cli/runner/local.ts':
    'hands a job with its keys to its own processes, in a private file',
  'harness/cli/runner/client-program.ts': 'reads the output of docker and kubectl',
  'harness/cli/runner/kubernetes.ts': 'reads the output of kubectl',
  'harness/cli/runner/flags.ts': 'reads the output of docker',
  'harness/cli/results/folder-lock.ts': 'writes a process id and its start time',
  'harness/cli/serve/answers.ts': 'records the answers of the fake model, which knows no key',
}

const names =
  /\b(?:write|append)File(?:Sync)?\b|\bcreateWriteStream\b|\b(?:write|writev|copyFile|cp)Sync\b|\bopenSync\([^)]*, *'[^r]/
const streams =
  /\bprocess\s*\.\s*(?:stdout|stderr)\b|\bconsole\s*\.\s*\w+\(|\bstdout\s*[,}]|\bstderr\s*[,}]/

test('every module writes through the outlet', () => {
  const around = sources().flatMap((file) => {
    const text = read(file).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    if (file in exempt) return []
    return names.test(text) || streams.test(text) ? [file] : []
  })
  expect(around).toEqual([])
})

test('a spinner shows cleaned text alone', () => {
  const redrawing = sources().filter((file) => /\bclearScreenDown\(/.test(read(file)))
  expect(redrawing).toEqual(['harness/cli/terminal/status.ts'])
  expect(read('harness/cli/terminal/status.ts').match(/text\.drawn\(/g)).toHaveLength(1)
  expect(read('harness/cli/terminal/status.ts')).toContain('clean(text.drawn(')
})

test('the modules that are exempt are there', () => {
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
