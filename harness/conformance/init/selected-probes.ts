import { type RequirementId, requirements, type Surface } from '../../../contract/index.ts'
import { surfacesOf } from '../profile/selection.ts'

/** Probes of a discovery: the surface that each needs, and a phrase for the progress display. */
export const probes = {
  models: { surface: 'openai', what: 'models' },
  deterministic: {
    surface: 'openai',
    what: 'whether the same request gives the same text',
  },
  chat: { surface: 'v3', what: 'a chat' },
  chatCursor: { surface: 'v3', what: 'the pages of lists' },
  reasoning: { surface: 'v3', what: 'reasoning' },
  images: { surface: 'v3', what: 'images' },
  attachments: { surface: 'v3', what: 'attachments' },
  knowledge: { surface: 'v3', what: 'knowledge bases' },
  v2Chat: { surface: 'v2', what: 'how v2 chats are created' },
} as const satisfies Record<string, { readonly surface: Surface; readonly what: string }>

export type ProbeName = keyof typeof probes

export const probeNames = Object.keys(probes) as ProbeName[]

export interface SelectedProbes {
  readonly surfaces: readonly Surface[]
  readonly names: ReadonlySet<ProbeName>
}

/**
 * The probes that these requirements need. Every surface takes its model ids from the catalog of the
 * compatible surface (section 2.1), so the models are always among them.
 */
export function probesFor(ids: readonly RequirementId[]): SelectedProbes {
  const surfaces = new Set<Surface>(['openai', ...ids.flatMap(surfacesOf)])
  const needed = new Set<string>([
    'models',
    // The probe of reasoning is also the generation that shows which members the target requires.
    ...['chat', 'chatCursor', 'reasoning'],
    ...ids.flatMap((id) => requirements[id].capability ?? requirements[id].member ?? []),
  ])
  // No result of its probe is a promise, so that nothing would use it.
  needed.delete('deterministic')
  const names = probeNames.filter((name) => needed.has(name) && surfaces.has(probes[name].surface))
  return { surfaces: [...surfaces], names: new Set(names) }
}
