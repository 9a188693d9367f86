import { writeFileSync } from 'node:fs'
import { vi } from 'vitest'
import { runCommandLine } from '../main.ts'
import type { Io } from '../terminal/io.ts'
import { type Line, wordsOf } from './chatgen.ts'

/** An Io without a terminal that discards everything. */
export function quietIo(members: Partial<Io> = {}): Io {
  return {
    out: () => {},
    err: () => {},
    reportOnErr: () => {},
    write: () => {},
    clean: String,
    redact: () => {},
    env: {},
    terminal: false,
    color: false,
    colorErr: false,
    width: 100,
    signal: new AbortController().signal,
    ...members,
  }
}

/** Runs a command line in this process, in its working folder or another one. */
export async function inProcess(
  line: Line,
  env: Readonly<Record<string, string>> = {},
  folder = process.cwd(),
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  const printed = { out: '', err: '' }
  const before = process.cwd()
  process.chdir(folder)
  const io = quietIo({
    out: (text) => (printed.out += `${text}\n`),
    err: (text) => (printed.err += `${text}\n`),
    reportOnErr: (text) => (printed.err += `${text}\n`),
    write: (file, text, flag) => writeFileSync(file, text, { flag: flag ?? 'w' }),
    env: process.env,
  })
  try {
    const code = await runCommandLine(wordsOf(line), io)
    return { code, stdout: printed.out, stderr: printed.err }
  } finally {
    process.chdir(before)
    vi.unstubAllEnvs()
  }
}
