import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import headless from '@xterm/headless'
import { emptyFolder } from './chatgen.ts'

export const bin = fileURLToPath(new URL('../../../bin/chatgen.cjs', import.meta.url))

export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export interface InTerminal {
  readonly pid: number
  /** Sends keys as the keyboard does: the driver of the terminal makes signals of them, as long as it may. */
  press(keys: string): void
  /** Every byte that was written to the terminal, as text. */
  raw(): string
  /** The terminal as its reader sees it now, with all that scrolled away, and no empty line last. */
  screen(): Promise<readonly ScreenLine[]>
  /** Resolves when the terminal was sent text like this. */
  shows(text: RegExp): Promise<void>
  readonly ended: Promise<{ readonly code: number; readonly signal: number | undefined }>
}

export interface ScreenLine {
  readonly text: string
  /** It was too wide for the terminal, and its rest stands below. */
  readonly wraps: boolean
}

export const ctrlC = '\u0003'

/** The real bin on a pseudo-terminal that has a size. */
export function startInTerminal(
  args: readonly string[],
  { columns = 80, rows = 24, env = {}, cwd = emptyFolder() }: TerminalOptions = {},
): InTerminal {
  return inTerminal([process.execPath, bin, ...args], { columns, rows, env, cwd })
}

/** Any command on a pseudo-terminal that has a size. */
export function inTerminal(
  [file = '', ...args]: readonly string[],
  { columns, rows, env, cwd }: Required<TerminalOptions>,
): InTerminal {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(CHATGEN|VITEST|CI$|NODE_ENV|FORCE_COLOR|NO_COLOR)/.test(name),
  )
  const terminal = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: 20_000,
    allowProposedApi: true,
  })
  const child = spawn(file, [...args], {
    name: env['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { ...Object.fromEntries(inherited), ...env },
  })
  let raw = ''
  const watchers = new Set<() => void>()
  child.onData((text) => {
    raw += text
    terminal.write(text)
    for (const watch of watchers) watch()
  })
  return {
    pid: child.pid,
    press: (keys) => child.write(keys),
    raw: () => raw,
    screen: () => screenOf(terminal),
    shows: (text) =>
      new Promise((resolve) => {
        const watch = () => {
          if (!text.test(raw)) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
    ended: new Promise((resolve) => {
      child.onExit(({ exitCode, signal }) => resolve({ code: exitCode, signal }))
    }),
  }
}

async function screenOf(terminal: headless.Terminal): Promise<readonly ScreenLine[]> {
  // What was written is read in turns.
  await new Promise<void>((resolve) => terminal.write('', resolve))
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, at) => ({
    text: active.getLine(at)?.translateToString(true) ?? '',
    wraps: active.getLine(at + 1)?.isWrapped ?? false,
  }))
  return lines.slice(0, lines.findLastIndex(({ text }) => text !== '') + 1)
}
