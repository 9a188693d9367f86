import { existsSync, mkdtempSync, rmdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { count } from '../../../reports/text/format.ts'
import { asConfigurationError, ConfigurationError } from '../../conformance/errors.ts'
import type { InitResult } from '../../conformance/init/init.ts'
import { defineCommand, type FlagsOf, flagTable } from '../flags.ts'
import { reportLeftovers } from '../target/discovery.ts'
import { withTarget } from '../target/target.ts'
import { ambientKey, connectionFlags } from '../target/target-flags.ts'
import { escapeWorkflowCommands, fitted, type Io } from '../terminal/io.ts'
import { showSteps } from '../terminal/progress.ts'
import { during } from '../terminal/status.ts'

function initFlags() {
  const own = flagTable(`
    --out <file>=target.yaml @init  output file; - for standard output
    --force  overwrite an existing file
    --json  print what was detected, and the profile, as JSON
    --quiet  no progress`)
  return [...own, ...connectionFlags()]
}

type InitFlags = FlagsOf<typeof initFlags>

const examples = `
Examples:
  $ chatgen init https://chat.example.org
  $ chatgen init https://chat.example.org --out staging.yaml --key-env STAGING_KEY
  $ chatgen init http://127.0.0.1:4010 --out -

Sends about 22 requests, 3 of which generate text, and deletes the chats that it creates. A request
takes at most ten times --timeout; docs/limits.md lists the limits of a response.

Exit codes:
  0 written   2 usage, or the file exists and --force is not given
  3 target unreachable, not this service, or API key rejected   130 interrupted`

/** `chatgen init URL`: writes a target profile with the detected capabilities. */
export const initCommand = defineCommand({
  args: { '<url>': 'base URL of the deployment, without /api' },
  flags: initFlags,
  help: examples,
  async run({ flags, io }, url: string) {
    refuseToOverwrite(flags)
    const { initProfile } = await import('../../conformance/init/init.ts')
    const { out, force, json, keyEnv = ambientKey } = flags
    // Of its own for each process: two may write the same file.
    const name = `${process.pid}.ndjson`
    const journalFile =
      out === '-' ? join(tmpdir(), `chatgen-init-${name}`) : `${out}.journal-${name}`
    const progress = showSteps(io, { name: 'init', enabled: !flags.quiet })
    try {
      const write = () => rmdirSync(mkdtempSync(`${journalFile}-`))
      const problem = `--out: cannot write to ${journalFile}`
      const target = { ...flags, beforeSending: () => asConfigurationError(Error, write, problem) }
      const { signal } = io
      const result = await during(progress, () =>
        withTarget(url, target, io, (profile) =>
          initProfile({ profile, keyEnv, journalFile, signal, onStep: progress.step }),
        ),
      )
      if (out !== '-') io.write(out, result.text, force ? 'w' : 'wx')
      if (json) io.out(JSON.stringify({ file: out === '-' ? null : out, ...result }, null, 2))
      else printFindings(result, out, io)
    } finally {
      reportLeftovers(journalFile, io)
    }
  },
})

/** Runs before anything is sent. */
function refuseToOverwrite({ out, force }: InitFlags): void {
  if (out === '-' || !existsSync(out)) return
  if (statSync(out).isDirectory()) {
    throw new ConfigurationError([`--out: ${out} is a folder; expected a file`])
  }
  if (!force) throw new ConfigurationError([`${out} exists; pass --force to overwrite it`])
}

/** Prints the findings; on standard error if standard output carries the profile. */
function printFindings(result: InitResult, out: string, io: Io): void {
  const { detection, cost } = result
  if (out === '-') io.out(escapeWorkflowCommands(result.text.trimEnd(), io.env))
  const print = (text: string) => (out === '-' ? io.err(text) : io.out(fitted(text, io)))
  const { surfaces, ...probes } = detection
  const usable = Object.entries(surfaces).filter(([, { usable }]) => usable)
  // Without a required field of generations there is nothing to detect.
  const required = probes.required?.value === undefined ? undefined : probes.required
  const named = { ...probes, chat: undefined, required }
  const found = Object.entries(named).filter(([, probe]) => probe?.value !== undefined)
  const open = Object.entries(named).filter(([, probe]) => probe && probe.value === undefined)
  print(`Sent ${count(cost.requests, 'request')}; surfaces: ${names(usable)}`)
  print(`Detected: ${names(found)}`)
  if (open.length > 0) print(`Not detected (see the examples in the file): ${names(open)}`)
  if (out !== '-') print(`Wrote ${out}. Next: chatgen check --target ${out}`)
}

function names(entries: readonly (readonly [string, unknown])[]): string {
  return entries.map(([name]) => name).join(', ') || 'nothing'
}
