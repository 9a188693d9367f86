/** Parts beside the server: the watch of its script, and the control port. */
import type { AnswerScript } from '../../../contract/answer-script.ts'
import type { Journal, ReferenceServer } from '../../../reference-server/index.ts'
import type { Io } from '../terminal/io.ts'
import type { AnswerFlags } from './answers.ts'
import type { Control } from './control.ts'

export interface Extras {
  readonly control: Control | undefined
  close(): Promise<void>
}

interface Served {
  readonly server: ReferenceServer
  readonly journal: Journal | undefined
  readonly script: AnswerScript | undefined
}

/** @throws ConfigurationError if the control port is taken; the server is then closed */
export async function startExtras(
  { script: file, control: port }: AnswerFlags & { readonly control?: number },
  { server, journal, script: first }: Served,
  io: Io,
): Promise<Extras> {
  let script = first
  const unwatch = file === undefined ? () => {} : await watch(file)
  const control = await startedControl()
  return {
    control,
    async close() {
      unwatch()
      await control?.close()
    },
  }

  async function watch(name: string): Promise<() => void> {
    const { watchScript } = await import('./answers.ts')
    const use = (next: AnswerScript) => {
      script = next
      server.setScript(next)
    }
    return watchScript(name, use, io.err)
  }

  async function startedControl(): Promise<Control | undefined> {
    if (port === undefined || journal === undefined) return undefined
    const { startControl } = await import('./control.ts')
    try {
      return await startControl(port, { server, journal, script: () => script })
    } catch (error) {
      unwatch()
      await server.close()
      throw error
    }
  }
}

export async function journalOf(): Promise<Journal> {
  const { requestJournal } = await import('../../../reference-server/index.ts')
  return requestJournal()
}

/** Says once of each directive that it is none. */
export function mistypedReporter({ err }: Pick<Io, 'err'>): (directive: string) => void {
  const reported = new Set<string>()
  return (directive) => {
    const text = directive.slice(0, maxLength)
    if (reported.has(text) || reported.size >= maxReports) return
    reported.add(text)
    err(`no directive, and so text of the prompt: ${text} (docs/client-development.md lists them)`)
  }
}

const maxLength = 100
const maxReports = 100
