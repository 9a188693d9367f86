/** CPU and memory of a program with all its children, from /proc. */
import { readdirSync, readFileSync } from 'node:fs'

export class UsageSampler {
  readonly #session: number
  readonly #cpu = new Map<number, number>()
  readonly #samples: { readonly atNs: number; readonly cpuSeconds: number }[] = []
  readonly #timer: NodeJS.Timeout
  #peakKb = 0

  /** @param session id of the session whose processes count: the pid of a detached child */
  constructor(session: number, everyMs = 500) {
    this.#session = session
    this.#timer = setInterval(() => this.#sample(), everyMs)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** Seconds of all processes between two moments of the monotonic clock, to the nearest samples. */
  cpuSecondsWithin([from, to]: readonly [number, number]): number {
    const at = (ns: number) => this.#samples.findLast(({ atNs }) => atNs <= ns)?.cpuSeconds ?? 0
    return at(to) - at(from)
  }

  /** Megabytes of all processes at once; shared pages count once (PSS). */
  get peakMb(): number {
    return this.#peakKb / 1024
  }

  #sample(): void {
    let kb = 0
    for (const entry of readdirSync('/proc')) {
      const pid = Number(entry)
      const cpu = Number.isInteger(pid) ? cpuOf(pid, this.#session) : null
      if (cpu === null) continue
      this.#cpu.set(pid, cpu)
      kb += pssOf(pid)
    }
    this.#peakKb = Math.max(this.#peakKb, kb)
    const cpuSeconds = [...this.#cpu.values()].reduce((sum, seconds) => sum + seconds, 0)
    this.#samples.push({ atNs: Number(process.hrtime.bigint()), cpuSeconds })
  }
}

/** Null for a process of another session, or one that has ended. */
function cpuOf(pid: number, session: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return Number(fields[3]) === session ? (Number(fields[11]) + Number(fields[12])) / 100 : null
  } catch {
    return null
  }
}

function pssOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0)
  } catch {
    return 0
  }
}
