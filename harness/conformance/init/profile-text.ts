import { stringify } from 'yaml'
import {
  surfaces as allSurfaces,
  areaOf,
  type Capability,
  capabilities,
  type Prefixes,
  type RequirementId,
  requirementIds,
  requirements,
  type Surface,
} from '../../../contract/index.ts'
import { interfaceRevision, suiteVersion } from '../defaults.ts'
import type { TargetProfile } from '../profile/index.ts'
import type { Detection } from './detect.ts'
import { type Detected, unknown } from './probe.ts'

export interface ProfileAbout {
  readonly baseUrl: string
  /** Variable that contains the key. */
  readonly keyEnv: string
  /** False if the target was queried without a key. */
  readonly keyGiven: boolean
  /** Network access to the target, without a proxy set by the environment. */
  readonly network?: TargetProfile['network']
  readonly prefixes?: Prefixes
}

/**
 * The target profile: detected fields with their evidence, the others as examples. What came from a target
 * never leaves its comment or its scalar.
 */
export function profileText(detection: Detection, about: ProfileAbout): string {
  const { proxy: _, ...network } = about.network ?? {}
  const paragraphs = [
    head(about),
    keys(detection, about),
    Object.keys(network).length === 0 ? [] : [member('network', network)],
    models(detection),
    capabilityLines(detection),
    v2Chat(detection),
    shapes(detection),
    required(detection),
    ...examples(),
  ]
  const texts = paragraphs.filter(({ length }) => length > 0).map((lines) => lines.join('\n'))
  return `${texts.join('\n\n')}\n`
}

function head({ baseUrl, prefixes }: ProfileAbout): string[] {
  return [
    ...comment(
      `Target profile, written by chatgen init ${suiteVersion()} for interface ${interfaceRevision}.`,
    ),
    ...comment('Detected values are given with their evidence; the rest are examples to fill in.'),
    ...comment(
      'A capability that is true must work, one that is false is not applicable, and one that is absent leaves its requirements untested.',
    ),
    member('baseUrl', baseUrl),
    prefixes === undefined ? '# prefixes: { openai: /v1 }' : member('prefixes', prefixes),
  ]
}

function keys({ surfaces }: Detection, { keyEnv, keyGiven }: ProfileAbout): string[] {
  const line = `apiKey: ${variable(keyEnv)}`
  const native = `nativeToken: ${variable('CHATGEN_NATIVE_TOKEN')}`
  const own: Readonly<Record<Surface, string>> = {
    openai: `compatKey: ${variable('CHATGEN_COMPAT_KEY')}`,
    v2: native,
    v3: native,
  }
  const refusing = allSurfaces.filter((name) => surfaces[name].refusesKey)
  return [
    ...allSurfaces.flatMap((name) => comment(`${name}: ${surfaces[name].evidence}.`)),
    ...(keyGiven ? [line] : [...comment('Detected without a key.'), `# ${line}`]),
    ...[...new Set(refusing.map((name) => own[name]))].flatMap((extra) => [
      ...comment('If the key is rejected, another one may be required:'),
      `# ${extra}`,
    ]),
  ]
}

function models({ models: { value, evidence } }: Detection): string[] {
  if (value !== undefined) {
    const without = comment('No vision model was detected; vision can name one.')
    return noted(evidence, value.vision === undefined ? without : [], member('models', value))
  }
  const names = '# models: { main: svc-main-model, aliases: [SVC-Main], vision: SVC-Vision }'
  return noted(evidence, comment('Without it, the names of section 2.1 are used:'), names)
}

function capabilityLines({ reasoning, images, attachments, knowledge }: Detection): string[] {
  const found: Partial<Record<Capability, Detected<true>>> = {
    ...{ reasoning, images, attachments, knowledge },
  }
  const any = Object.values(found).some(({ value }) => value)
  const indent = 2
  const lines = capabilities.flatMap((name) => {
    const { value, evidence } = found[name] ?? unknown('Not probed.')
    const decided = requirementIds.filter((id) => requirements[id].capability === name)
    const end = value
      ? [member(name, true)]
      : [...comment(neededFor(decided), indent), `# ${name}: true`]
    return [...sentences(evidence, indent), ...end].map((line) => `  ${line}`)
  })
  return [any ? 'capabilities:' : '# capabilities:', ...lines]
}

function v2Chat({ v2Chat: { value, evidence } }: Detection): string[] {
  const create = { create: { method: 'POST', path: '/api/v2/chat', body: { name: '{name}' } } }
  if (value !== undefined) {
    return noted(evidence, member('v2Chat', value === 'create' ? create : { anyUuid: true }))
  }
  return noted(
    evidence,
    comment(`Creation of a v2 chat. ${memberDecides('v2Chat')}`),
    '# v2Chat: { ids: [11111111-2222-4333-8444-555555555555] }',
    '# v2Chat: { create: { method: POST, path: /api/v2/chat, body: { name: "{name}" }, id: /id } }',
    '# v2Chat: { anyUuid: true }',
  )
}

function shapes({ chat, chatCursor }: Detection): string[] {
  const chatId = chat.value?.pointer
  const found = {
    ...(typeof chatId === 'string' && { chatId }),
    ...(chatCursor.value && { chatCursor: chatCursor.value }),
  }
  const evidence = [...chat.evidence, ...chatCursor.evidence]
  if (Object.keys(found).length > 0) {
    const attachments = 'attachmentCursor may name another one for lists of attachments.'
    return noted(evidence, comment(attachments), member('shapes', found))
  }
  return [
    ...noted(evidence, chat.value ? comment('The id of the chat was found by its value.') : []),
    ...comment('JSON pointers to ids, lists or cursors that are not found by value.'),
    '# shapes: { chatId: /chat/id, chatCursor: /page/next, attachment: /file }',
  ]
}

/** Lists required fields if a generation was refused because one is missing. */
function required({ required: { value, evidence } }: Detection): string[] {
  if (evidence.length === 0 || evidence[0]?.startsWith('Not tested')) return []
  const what = 'Without these members every generation is rejected.'
  return value === undefined
    ? noted(evidence, '# requests: { generate: { assistant_id: <uuid> } }')
    : noted(evidence, comment(what), member('requests', { generate: value }))
}

/** Fields that no harmless request can detect: meaning, name and an example. */
const undetectable: readonly (readonly [text: string, name: string, example: string])[] = [
  ['True: the same request gives the same text.', 'deterministic', 'deterministic: true'],
  [
    'A tool that the model uses on request.',
    'tools',
    'tools: { search: file_search, name: get_time, ask: "What time is it?" }',
  ],
  [
    'Assistants with and without a knowledge base.',
    'assistants',
    'assistants: { withKnowledge: <uuid>, withoutKnowledge: <uuid>, instructions: <name> }',
  ],
  [
    'A base, a question that only its documents answer, a word of the answer, and the routes below the prefix.',
    'knowledge',
    'knowledge: { baseId: <id>, question: "…", expect: KESTREL-5821, routes: { search: { path: "/{baseId}/search", query: { q: "{question}" } } } }',
  ],
  [
    'Search parameters of the target.',
    'rag',
    'rag: { object: { threshold: 0.2, search_type: hybrid, limit: 3 } }',
  ],
  ['The key of a second client.', 'otherKey', `otherKey: ${variable('CHATGEN_OTHER_KEY')}`],
]

function examples(): string[][] {
  return [
    ...undetectable.map(([text, name, line]) => [
      ...comment(`${text} ${memberDecides(name)}`),
      `# ${line}`,
    ]),
    [
      ...comment(
        'Bodies that are not specified, wording, headers, limits: docs/target-profile.md.',
      ),
      '# requests: { patchChat: { name: "{name}" }, generate: { assistant_id: <uuid> } }',
      '# recall: { tell: "My name is {nonce}.", ask: "What is my name?" }',
      '# headers: { X-Tenant: a }',
      '# limits: { requestsPerSecond: 20, timeoutMs: 60000, settleMs: 2000 }',
    ],
  ]
}

/** Placeholder that the profile loader replaces by the value of a variable. */
function variable(name: string): string {
  return `\${${name}}`
}

/** Length of a sentence of evidence, in characters, as a target determines its content. */
const maxLength = 400

/** Lines with the evidence before them. */
function noted(evidence: readonly string[], ...lines: (string | readonly string[])[]): string[] {
  return [...sentences(evidence), ...lines.flat()]
}

function sentences(evidence: readonly string[], indent?: number): string[] {
  return evidence.flatMap((text) => {
    const whole = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
    return comment(`${whole.replace(/\.$/, '')}.`, indent)
  })
}

/** Characters of a comment line, without its sign. */
const width = 96

/** Comment lines, broken at spaces; a target's line breaks and controls become spaces. */
function comment(text: string, indent = 0): string[] {
  const lines = new RegExp(`(.{1,${width - indent}}|\\S+)(?: |$)`, 'g')
  const words = text.replaceAll(/[\s\p{C}\u2028\u2029]+/gu, ' ').trim()
  return Array.from(words.matchAll(lines), ([, line]) => `# ${line}`)
}

/** A field on one line, for example `models: { main: a, aliases: [ b ] }`. */
function member(name: string, value: unknown): string {
  return `${name}: ${stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trim()}`
}

/** The requirements that wait for a field of the profile, or for something within it. */
function memberDecides(name: string): string {
  const waits = (id: RequirementId) => `${requirements[id].member ?? ''}.`.startsWith(`${name}.`)
  return neededFor(requirementIds.filter(waits))
}

const maxListed = 6

function neededFor(ids: readonly RequirementId[]): string {
  if (ids.length === 0) return 'No requirement depends on it alone.'
  if (ids.length <= maxListed) return `Needed to test ${ids.join(', ')}.`
  const areas = [...new Set(ids.map(areaOf))]
  return `Needed to test ${ids.length} requirements of ${areas.join(', ')}.`
}
