/**
 * The packed package as its users get it: its content, its types, a project that uses it, and every
 * supported version of Node.
 *
 *   npm run test:package [-- --node 22,24,26]
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import manifest from '../package.json' with { type: 'json' }
import { brokenLinks } from './house/references.ts'
import { isPage } from './house/repository.ts'
import { need, packedInto, root, run, step } from './image/engine.ts'
import { optionsOf, scriptFolder } from './options.ts'

const consumerFiles: Readonly<Record<string, string>> = parse(
  readFileSync(new URL('package/consumer.yaml', import.meta.url), 'utf8'),
)

const maxBytes = 1.5 * 1024 * 1024
const bin = join(root, 'node_modules/.bin')
const folder = scriptFolder('package')
const { node: versions } = optionsOf(import.meta, { node: '22,24,26' })
// Programs of the project run with the Node of this script.
const path = `${join(process.execPath, '..')}:${process.env['PATH'] ?? ''}`
const env = { PATH: path, NO_COLOR: '1' }

const tarball = packedInto(folder, env)
const size = statSync(tarball).size
step(`${(size / 1024 / 1024).toFixed(2)} MB packed, at most 1.5`, size <= maxBytes)
const packed = need('tar', ['-tzf', tarball]).trim().split('\n')
// Sources, tests, maps and test support are not packed.
const own = /^package\/(bin|dist|schemas|docs|fixtures\/(targets|documents))\/|^package\/[\w.]+$/
const internal = /\.map$|\.test\.|test-support|(?<!\.d)\.ts$/
const unexpected = packed.filter((file) => !own.test(file) || internal.test(file))
step('holds only what users need', isEmpty(unexpected))
const textOf = (file: string) => (isPage(file) ? need('tar', ['-xOzf', tarball, file]) : '')
const pages = new Map(packed.map((file) => [file, textOf(file)]))
step('the links of its pages lead to packed files', isEmpty(brokenLinks(pages)))
step('publint', endsWith(join(bin, 'publint'), ['run', tarball, '--strict'], root))
const attw = [tarball, '--profile', 'esm-only', '--exclude-entrypoints', './schemas/*']
step('are the types wrong', endsWith(join(bin, 'attw'), attw, root))

const project = join(folder, 'consumer')
mkdirSync(project)
for (const [name, text] of Object.entries(consumerFiles)) writeFileSync(join(project, name), text)
const { vitest } = manifest.dependencies
const { typescript, '@types/node': nodeTypes } = manifest.devDependencies
const tools = [`vitest@${vitest}`, `typescript@${typescript}`, `@types/node@${nodeTypes}`]
const install = ['install', '--no-audit', '--no-fund', '--loglevel=error']
need('npm', [...install, tarball, ...tools], { cwd: project, env })
const program = (name: string) => join(project, 'node_modules/.bin', name)
step('types in the project of a user', endsWith(program('tsc'), ['-p', '.'], project))
step('requirements in its vitest', endsWith(program('vitest'), ['run', 'own'], project))
step(
  'a violation fails there',
  endsWith(
    program('vitest'),
    ['run', 'violated'],
    project,
    1,
    /× OAI-MODELS-01 .*Tests +1 failed \(1\)/s,
  ),
)

for (const version of versions.split(',')) {
  const home = join(folder, `node-${version}`)
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{}')
  need('npm', [...install, `node@${version}`], { cwd: home, env })
  const node = join(home, 'node_modules/node/bin/node')
  const chatgen = join(project, 'node_modules/chatgen-conformance/bin/chatgen.cjs')
  const check = [chatgen, 'check', '--reference', '--depth', 'quick', '--quiet']
  step(`chatgen check with Node ${version}`, endsWith(node, check, home))
}

function isEmpty(problems: readonly string[]): boolean {
  for (const problem of problems) console.log(`     ${problem}`)
  return problems.length === 0
}

/** True if the program ends with the code and a matching message; prints its output only otherwise. */
function endsWith(
  program: string,
  args: readonly string[],
  cwd: string,
  expected = 0,
  words = /(?:)/,
): boolean {
  const { code, stdout, stderr } = run(program, args, { cwd, env })
  const isExpected = code === expected && words.test(`${stdout}${stderr}`)
  if (!isExpected) console.log(`exit code ${code}\n`, stdout, stderr)
  return isExpected
}
