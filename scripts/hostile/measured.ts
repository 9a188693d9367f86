import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface Measured {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly seconds: number
  /** Largest memory of the process, in MB, as the kernel counts it; looked at every 20 ms. */
  readonly peakMb: number
  readonly output: string
}

const bin = fileURLToPath(new URL('../../bin/chatgen.cjs', import.meta.url))

/** The real command in a process of its own; it is killed if it takes longer than allowed. */
export async function measured(
  args: readonly string[],
  { cwd, key, timeoutMs }: { cwd: string; key: string; timeoutMs: number },
): Promise<Measured> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(CHATGEN|VITEST|NODE_OPTIONS)/.test(name),
  )
  const started = performance.now()
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    env: { ...Object.fromEntries(own), NODE_ENV: '', CHATGEN_API_KEY: key },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let peakMb = 0
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      if (output.length < 4_000_000) output += bytes.toString()
    })
  }
  const look = setInterval(() => {
    peakMb = Math.max(peakMb, child.pid === undefined ? 0 : peakOf(child.pid))
  }, 20)
  const end = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.on('close', (...how) => resolve(how)),
  )
  clearInterval(look)
  clearTimeout(end)
  return { code, signal, seconds: (performance.now() - started) / 1000, peakMb, output }
}

/** `VmHWM` of Linux; 0 once the process is gone. */
function peakOf(pid: number): number {
  try {
    const [, kilobytes = '0'] =
      /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Math.round(Number(kilobytes) / 1024)
  } catch {
    return 0
  }
}
