import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { startReferenceServer } from '../library/index.ts'
import { emptyFolder } from './test-support/chatgen.ts'
import { key, startModelsServer } from './test-support/servers.ts'

/** The scripts of action.yml as a runner runs them: in bash, with files for outputs and summary. */

const root = fileURLToPath(new URL('../../', import.meta.url))
const source = readFileSync(join(root, 'action.yml'), 'utf8')
const action = z
  .object({
    inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string() })),
    runs: z.object({
      steps: z.array(
        z.object({
          id: z.string().optional(),
          name: z.string().optional(),
          run: z.string().optional(),
          env: z.record(z.string(), z.string()).default({}),
        }),
      ),
    }),
  })
  .parse(parse(source))

/** @param which id or name of the step */
async function run(
  which: string,
  inputs: Readonly<Record<string, string>>,
  { path, folder = emptyFolder() }: { path?: string; folder?: string } = {},
) {
  const step = action.runs.steps.find(({ id, name }) => id === which || name === which)
  const values = Object.entries(step?.env ?? {}).map(([name, value]) => [name, fill(value, inputs)])
  const files = {
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
  }
  const temporary = { RUNNER_TEMP: join(folder, 'temp') }
  for (const file of Object.values(files)) writeFileSync(file, '')
  const PATH = path ?? `${dirname(process.execPath)}:${process.env['PATH']}`
  const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? '']
  const child = spawn('/bin/bash', bash, {
    cwd: folder,
    env: { PATH, ...files, ...temporary, ...Object.fromEntries(values) },
  })
  const closed = once(child, 'close')
  const printed = await text(child.stdout)
  const [code] = await closed
  const [output, summary] = Object.values(files).map((file) => readFileSync(file, 'utf8'))
  return { code, printed, output, summary, folder }
}

/** Replaces `${{ inputs.url }}` with the given value or the default of the action, and outputs by name. */
function fill(value: string, inputs: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, name: string) => {
    if (name === 'github.action_path') return root
    if (name === 'steps.install.outputs.folder') return root
    if (name.startsWith('steps.')) return inputs[name.replace('.outputs', '')] ?? ''
    const input = name.replace(/^inputs\./, '')
    return inputs[input] ?? action.inputs[input]?.default ?? `no input ${input}`
  })
}

describe('the GitHub action', () => {
  test('checks, annotates, writes the summary and sets the outcome', async () => {
    await using server = await startModelsServer({ open: true })
    const args = '--only\nOAI-AUTH-01\n--only\nOAI-MODELS-01'
    const inputs = { url: server.url, key, profile: 'openai', arguments: args }
    const { code, printed, output, summary, folder } = await run('check', inputs)
    expect(code).toBe(0)
    expect(output).toBe('exit-code=1\noutcome=violated\n')
    expect(printed).toMatch(/^::error title=OAI-AUTH-01::/m)
    expect(summary).toMatch(/^## ❌ Violated\n/)
    expect(readFileSync(join(folder, 'chatgen-results/report.xml'), 'utf8')).toContain('<failure')
    expect(printed + summary).not.toContain(key)
  })

  test('writes the reason to its summary if nothing was tested', async () => {
    const { code, output, summary } = await run('check', { url: 'localhost' })
    expect(code).toBe(0)
    expect(output).toBe('exit-code=2\n')
    expect(summary).toMatch(/^## ❌ Refused\n[\s\S]*invalid URL: did you mean/)
  })

  test('rejects unknown values of boolean inputs', async () => {
    const inputs = { url: 'localhost', strict: 'sure' }
    const { output, summary } = await run('check', inputs)
    expect(output).toBe('exit-code=2\n')
    expect(summary).toContain('CHATGEN_STRICT is "sure"')
    expect(source.split('\n')).toContain("      if: inputs.fail != 'false'")
  })

  test('detects a Node that is new enough', async () => {
    expect((await run('node', {})).output).toBe('found=true\n')
    expect((await run('node', {}, { path: '/nowhere' })).output).toBe('found=false\n')
  })

  test('installs an archive of the workspace', async () => {
    const folder = emptyFolder()
    mkdirSync(join(folder, 'source'))
    const manifest = { name: 'chatgen-conformance', version: '9.9.9' }
    writeFileSync(join(folder, 'source/package.json'), JSON.stringify(manifest))
    execFileSync('npm', ['pack', './source'], { cwd: folder })
    const inputs = { package: 'chatgen-conformance-9.9.9.tgz' }
    const { code, output } = await run('install', inputs, { folder })
    expect(code).toBe(0)
    const [, installed = ''] = /^folder=(.+)\n$/.exec(output ?? '') ?? []
    const found = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    expect(found).toMatchObject(manifest)
  })

  test('passes profile, baseline and strict to the check', async () => {
    const folder = emptyFolder()
    await using server = await startModelsServer({ open: true })
    const profile = `baseUrl: ${server.url}\napiKey: \${CHATGEN_API_KEY}\n`
    writeFileSync(join(folder, 'staging.yaml'), profile)
    writeFileSync(join(folder, 'known.yaml'), 'OAI-AUTH-01: { because: the gateway is open }\n')
    const inputs = {
      target: 'staging.yaml',
      baseline: 'known.yaml',
      strict: 'true',
      out: 'some results',
      profile: 'openai',
      key,
      arguments: '--only\nOAI-AUTH-01\n\n--only\nOAI-MODELS-01\n',
    }
    const { output, summary } = await run('check', inputs, { folder })
    expect(output).toBe('exit-code=0\noutcome=conforms\n')
    expect(summary).toContain('the gateway is open')
    const report = JSON.parse(readFileSync(join(folder, 'some results', 'report.json'), 'utf8'))
    expect([report.strict, report.totals.known]).toEqual([true, 1])
  })

  test('ignores the report of an earlier job', async () => {
    const folder = emptyFolder()
    mkdirSync(join(folder, 'chatgen-results'))
    writeFileSync(join(folder, 'chatgen-results/report.json'), '{"outcome":"conforms"}')
    writeFileSync(join(folder, 'chatgen-results/report.md'), 'all is well')
    const { output, summary } = await run('check', { url: 'http://127.0.0.1:1' }, { folder })
    expect(output).toBe('exit-code=3\n')
    expect(summary).toContain('nothing listens there')
    expect(summary).not.toContain('all is well')
  })

  test('runs a load, with its outcome or the reason of a refusal', async () => {
    await using server = await startReferenceServer()
    const load = '--rate=20\n--duration=2s\n--surface=openai\n--slo=ttft.p95 < 60s'
    const inputs = { url: server.url, key: server.keys[0], load }
    const { code, output, summary, folder } = await run('load', inputs)
    expect(code).toBe(0)
    expect(output).toMatch(/^exit-code=\d\noutcome=(met|invalid|undecided)\n$/)
    expect(summary).toMatch(/^## /)
    expect(existsSync(join(folder, 'chatgen-results-load', 'report.html'))).toBe(true)
    const failed = await run('load', { load: '--rate=many' })
    expect(failed.output).toBe('exit-code=2\n')
    expect(failed.summary).toMatch(/^## ❌ Refused\n[\s\S]*--rate[\s\S]*above 0/)
  })

  test.each([
    ['0', '', 0],
    ['1', '', 1],
    ['5', '0', 5],
    ['0', '1', 1],
    ['1', '6', 1],
  ])(
    'exits with the code of the check, or else of the load: %s, %j',
    async (check, load, expected) => {
      const codes = { 'steps.check.exit-code': check, 'steps.load.exit-code': load }
      const { code } = await run('Exit as the check did, or else as the load run', codes)
      expect(code).toBe(expected)
    },
  )

  test('uses only existing inputs, steps and outputs, and each input', () => {
    const inputs = source.match(/(?<=\binputs\.)[\w-]+/g)
    expect(new Set(inputs)).toEqual(new Set(Object.keys(action.inputs)))
    for (const name of source.match(/(?<=\bsteps\.)[\w.-]+/g) ?? []) {
      const [id, , output] = name.split('.')
      const step = action.runs.steps.find((one) => one.id === id)
      expect(step?.run, name).toContain(`${output}=`)
    }
  })

  test('has no expressions in scripts', () => {
    for (const { run = '' } of action.runs.steps) expect(run).not.toContain('${{')
  })
})
