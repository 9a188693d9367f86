import {
  surfaces as allSurfaces,
  type Capability,
  capabilities,
  type Prefixes,
  type Surface,
} from '../../../contract/index.ts'
import { interfaceRevision, suiteVersion } from '../defaults.ts'
import type { TargetProfile } from '../profile/index.ts'
import type { Detection } from './detect.ts'
import { type Detected, unknown } from './probe.ts'
import { capabilityDecides, comment, example, member, memberDecides } from './profile-lines.ts'

export interface ProfileAbout {
  readonly baseUrl: string
  /** Variable that holds the key. */
  readonly keyEnv: string
  /** False if the target was queried without a key. */
  readonly keyGiven: boolean
  /** Network access to the target, without a proxy set by the environment. */
  readonly network?: TargetProfile['network']
  readonly prefixes?: Prefixes
}

/** The target profile: detected fields with their evidence, the others as examples. */
export function profileText(detection: Detection, about: ProfileAbout): string {
  const paragraphs = [
    head(about),
    keys(detection, about),
    ...networkLines(about),
    models(detection),
    capabilityLines(detection),
    deterministic(detection),
    v2Chat(detection),
    shapes(detection),
    ...required(detection),
    ...examples(),
  ]
  return `${paragraphs.map((lines) => lines.join('\n')).join('\n\n')}\n`
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
    prefixes === undefined ? example('prefixes: { openai: /v1 }') : member('prefixes', prefixes),
  ]
}

function networkLines({ network = {} }: ProfileAbout): string[][] {
  const { proxy: _, ...kept } = network
  return Object.keys(kept).length === 0 ? [] : [[member('network', kept)]]
}

function keys({ surfaces }: Detection, { keyEnv, keyGiven }: ProfileAbout): string[] {
  const line = `apiKey: ${variable(keyEnv)}`
  const own: Readonly<Record<Surface, string>> = {
    openai: `compatKey: ${variable('CHATGEN_COMPAT_KEY')}`,
    v2: `nativeToken: ${variable('CHATGEN_NATIVE_TOKEN')}`,
    v3: `nativeToken: ${variable('CHATGEN_NATIVE_TOKEN')}`,
  }
  const refusing = allSurfaces.filter((name) => surfaces[name].refusesKey)
  return [
    ...allSurfaces.flatMap((name) => comment(`${name}: ${surfaces[name].evidence}.`)),
    ...(keyGiven ? [line] : [...comment('Detected without a key.'), example(line)]),
    ...[...new Set(refusing.map((name) => own[name]))].flatMap((extra) => [
      ...comment('If the key is rejected, another one may be required:'),
      example(extra),
    ]),
  ]
}

function models({ models: { value, evidence } }: Detection): string[] {
  const lines = evidenceLines(evidence)
  if (value === undefined) {
    const names = 'models: { main: svc-main-model, aliases: [SVC-Main], vision: SVC-Vision }'
    return [...lines, ...comment('Without it, the names of section 2.1 are used:'), example(names)]
  }
  const without = comment('No vision model was detected; vision can name one.')
  return [...lines, ...(value.vision === undefined ? without : []), member('models', value)]
}

function capabilityLines(detection: Detection): string[] {
  const { reasoning, images, attachments, knowledge } = detection
  const probed = { reasoning, images, attachments, knowledge }
  const found: Partial<Record<Capability, Detected<true>>> = probed
  const any = Object.values(found).some(({ value }) => value === true)
  const lines = capabilities.flatMap((name) => {
    const { value, evidence } = found[name] ?? unknown('Not probed.')
    const end =
      value === true
        ? [member(name, true, '  ')]
        : [...comment(capabilityDecides(name), '  '), example(`${name}: true`, '  ')]
    return [...evidenceLines(evidence, '  '), ...end]
  })
  return [any ? 'capabilities:' : example('capabilities:'), ...lines]
}

function deterministic({ deterministic: { value, evidence } }: Detection): string[] {
  const caveat = 'Two equal answers are no guarantee: set it to false if the model samples.'
  const meaning = `True: the same request gives the same text. ${memberDecides('deterministic')}`
  const end =
    value === true
      ? [...comment(caveat), member('deterministic', true)]
      : [...comment(meaning), example('deterministic: true')]
  return [...evidenceLines(evidence), ...end]
}

function v2Chat({ v2Chat: { value, evidence } }: Detection): string[] {
  const create = { create: { method: 'POST', path: '/api/v2/chat', body: { name: '{name}' } } }
  if (value === 'create') return [...evidenceLines(evidence), member('v2Chat', create)]
  if (value === 'anyUuid') return [...evidenceLines(evidence), member('v2Chat', { anyUuid: true })]
  return [
    ...evidenceLines(evidence),
    ...comment(`Creation of a v2 chat. ${memberDecides('v2Chat')}`),
    example('v2Chat: { ids: [11111111-2222-4333-8444-555555555555] }'),
    example(
      'v2Chat: { create: { method: POST, path: /api/v2/chat, body: { name: "{name}" }, id: /id } }',
    ),
    example('v2Chat: { anyUuid: true }'),
  ]
}

function shapes({ chat, chatCursor }: Detection): string[] {
  const chatId = chat.value?.pointer
  const found = {
    ...(typeof chatId === 'string' && { chatId }),
    ...(chatCursor.value && { chatCursor: chatCursor.value }),
  }
  const why = 'JSON pointers to ids, lists or cursors that are not found by value.'
  const evidence = [...evidenceLines(chat.evidence), ...evidenceLines(chatCursor.evidence)]
  if (Object.keys(found).length > 0) {
    const attachments = 'attachmentCursor may name another one for lists of attachments.'
    return [...evidence, ...comment(attachments), member('shapes', found)]
  }
  return [
    ...evidence,
    ...(chat.value === undefined ? [] : comment('The id of the chat was found by its value.')),
    ...comment(why),
    example('shapes: { chatId: /chat/id, chatCursor: /page/next, attachment: /file }'),
  ]
}

/** Lists required fields if a generation was refused because one is missing. */
function required({ required: { value, evidence } }: Detection): string[][] {
  if (evidence.length === 0 || evidence[0]?.startsWith('Not tested')) return []
  const what = 'Without these members every generation is rejected.'
  return value === undefined
    ? [[...evidenceLines(evidence), example('requests: { generate: { assistant_id: <uuid> } }')]]
    : [[...evidenceLines(evidence), ...comment(what), member('requests', { generate: value })]]
}

/** Fields that no harmless request can detect: meaning, name and an example. */
const undetectable: readonly (readonly [text: string, name: string, example: string])[] = [
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
      example(line),
    ]),
    [
      ...comment(
        'Bodies that are not specified, wording, headers, limits: docs/target-profile.md.',
      ),
      example('requests: { patchChat: { name: "{name}" }, generate: { assistant_id: <uuid> } }'),
      example('recall: { tell: "My name is {nonce}.", ask: "What is my name?" }'),
      example('headers: { X-Tenant: a }'),
      example('limits: { requestsPerSecond: 20, timeoutMs: 60000, settleMs: 2000 }'),
    ],
  ]
}

/** Placeholder that the profile loader replaces by the value of a variable. */
function variable(name: string): string {
  return `\${${name}}`
}

/** Length of a sentence of evidence, in characters, as a target determines its content. */
const maxLength = 400

function evidenceLines(evidence: readonly string[], indent = ''): string[] {
  return evidence.flatMap((sentence) => {
    const whole = sentence.length > maxLength ? `${sentence.slice(0, maxLength)}…` : sentence
    return comment(`${whole.replace(/\.$/, '')}.`, indent)
  })
}
