import { spawn } from '@lydell/node-pty'
import headless from '@xterm/headless'
import { environmentWithout } from '../../conformance/process.ts'
import { bin, emptyFolder, type Line, ShownText, wordsOf } from './chatgen.ts'

export interface TerminalOptions {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export type InTerminal = ReturnType<typeof inTerminal>

export type ScreenLine = Awaited<ReturnType<typeof screenOf>>[number]

/** Lines as they were printed: one that is wider than the terminal takes several of its rows. */
export function printed(rows: readonly ScreenLine[]): string {
  return rows.map(({ text, wraps }) => (wraps ? text : `${text}\n`)).join('')
}

export const ctrlC = '\u0003'

/** The real CLI on a pseudo-terminal that has a size. */
export function startInTerminal(
  line: Line,
  { columns = 80, env = {}, cwd = emptyFolder() }: TerminalOptions = {},
) {
  return inTerminal([process.execPath, bin, ...wordsOf(line)], { columns, env, cwd })
}

/** Any command on a pseudo-terminal that has a size. */
export function inTerminal(
  [file = '', ...args]: readonly string[],
  { columns, env, cwd }: Required<TerminalOptions>,
) {
  const rows = 24
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
    env: { ...environmentWithout(/^(CHATGEN|VITEST|CI$|NODE_ENV|FORCE_COLOR|NO_COLOR)/), ...env },
  })
  const raw = new ShownText()
  child.onData((text) => {
    terminal.write(text)
    raw.add(text)
  })
  return {
    /** Sends keys as a keyboard does: the terminal driver turns them into signals unless that is disabled. */
    press: (keys: string) => child.write(keys),
    /** Every byte that was written to the terminal, as text. */
    raw: () => raw.text,
    /** Current contents of the terminal, with its scrollback, without empty lines at the end. */
    screen: () => screenOf(terminal),
    /** Resolves when the output matches. */
    shows: (text: RegExp) => raw.until((output) => text.test(output)),
    ended: new Promise<{ code: number; signal: number | undefined }>((resolve) => {
      child.onExit(({ exitCode, signal }) => resolve({ code: exitCode, signal }))
    }),
  }
}

async function screenOf(terminal: headless.Terminal) {
  // The terminal parses its input asynchronously.
  await new Promise<void>((resolve) => terminal.write('', resolve))
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, at) => ({
    text: active.getLine(at)?.translateToString(true) ?? '',
    // It is too wide, and continues on the next line.
    wraps: active.getLine(at + 1)?.isWrapped ?? false,
  }))
  return lines.slice(0, lines.findLastIndex(({ text }) => text !== '') + 1)
}
