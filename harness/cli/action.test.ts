import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { emptyFolder } from './test-support/chatgen.ts'
import { key, startModelsServer } from './test-support/models-server.ts'

/** The scripts of action.yml as a runner runs them: by bash, with its files for outputs and summary. */

const root = fileURLToPath(new URL('../../', import.meta.url))
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
  .parse(parse(readFileSync(join(root, 'action.yml'), 'utf8')))

async function run(id: string, inputs: Readonly<Record<string, string>>, path?: string) {
  const folder = emptyFolder()
  const step = action.runs.steps.find((one) => one.id === id)
  const values = Object.entries(step?.env ?? {}).map(([name, value]) => [name, fill(value, inputs)])
  const files = {
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
  }
  for (const file of Object.values(files)) writeFileSync(file, '')
  const child = spawn(
    '/bin/bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step?.run ?? ''],
    {
      cwd: folder,
      env: {
        PATH: path ?? `${dirname(process.execPath)}:${process.env['PATH']}`,
        ...files,
        ...Object.fromEntries(values),
      },
    },
  )
  let printed = ''
  child.stdout.on('data', (bytes) => {
    printed += bytes
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  const [output, summary] = Object.values(files).map((file) => readFileSync(file, 'utf8'))
  return { code, printed, output, summary, folder }
}

/** `${{ inputs.url }}` by what is given, or else by the default of the action. */
function fill(value: string, inputs: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\{\{ (\S+) \}\}/g, (_, name: string) => {
    if (name === 'github.action_path') return root
    const input = name.replace('inputs.', '')
    return inputs[input] ?? action.inputs[input]?.default ?? `no input ${input}`
  })
}

describe('the action', () => {
  test('checks, annotates, writes the summary and says how it ended', async () => {
    await using server = await startModelsServer({ open: true })
    const args = '--only\nOAI-AUTH-01\n--only\nOAI-MODELS-01'
    const inputs = { url: server.url, key, profile: 'openai', arguments: args }
    const { code, printed, output, summary, folder } = await run('check', inputs)
    expect(code).toBe(0)
    expect(output).toBe('exit-code=1\noutcome=violated\n')
    expect(printed).toMatch(/^::error title=OAI-AUTH-01::/m)
    expect(summary).toMatch(/^## ❌ Violated\n/)
    expect(readFileSync(join(folder, 'chatgen-results', 'report.xml'), 'utf8')).toContain(
      '<failure',
    )
    expect(printed + summary).not.toContain(key)
  })

  test('says so where there is no report', async () => {
    const { code, output, summary } = await run('check', { url: 'localhost' })
    expect(code).toBe(0)
    expect(output).toBe('exit-code=2\n')
    expect(summary).toContain('exit code 2 before there was a report')
  })

  test('finds a Node that is new enough, or none', async () => {
    expect((await run('node', {})).output).toBe('found=true\n')
    expect((await run('node', {}, '/nowhere')).output).toBe('found=false\n')
  })

  test('puts no expression into a script', () => {
    for (const { run = '' } of action.runs.steps) expect(run).not.toContain('${{')
  })
})
