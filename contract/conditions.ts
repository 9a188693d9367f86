/**
 * Conditions under which the laws of an operation are tested: dimensions, their values, and the requirement
 * that is broken if a value is refused. Null: a server may refuse the value; if it accepts it, the response is
 * judged as usual. A request without a value for a dimension is plain in it.
 */
import type { RequirementId } from './catalog/index.ts'
import type { OperationId } from './operations.ts'

export const conditions = {
  'openai.chat': {
    ...texts('OAI-CHAT-01'),
    messages: {
      'with a system message': 'OAI-CHAT-12',
      'with an assistant message': 'OAI-CHAT-01',
      'of several turns': 'OAI-CHAT-01',
    },
    model: { alias: 'OAI-MODELS-02', vision: 'OAI-MODELS-03' },
    max_tokens: { '1': 'OAI-MAXTOK-01', '7': 'OAI-MAXTOK-01', '64': 'OAI-MAXTOK-01' },
    temperature: { '0': 'OAI-TEMP-01', '0.7': 'OAI-TEMP-01', '2': 'OAI-TEMP-01' },
    top_p: { '0.5': 'OAI-TOPP-01', '1': 'OAI-TOPP-01' },
    stop: {
      text: 'OAI-STOP-01',
      'list of one': 'OAI-STOP-02',
      'first of a list': 'OAI-STOP-02',
      'last of a list': 'OAI-STOP-02',
    },
    stream: { false: 'OAI-CHAT-01' },
    // The document does not list stream_options.
    form: { stream: 'OAI-STREAM-01', 'stream with usage': null },
    caller: { second: 'OAI-AUTH-05' },
  },
  'v2.message': {
    ...texts('V2-MSG-01'),
    model: { alias: 'V2-MODEL-01', vision: 'V2-MODEL-02' },
    parent: { given: 'V2-MSG-11' },
    think: { true: 'V2-MSG-12', false: 'V2-MSG-12' },
    rag: { true: 'V2-MSG-13', false: 'V2-MSG-13', agent: 'V2-MSG-13' },
    attachments: { none: 'V2-MSG-14', one: 'V2-MSG-14', several: 'V2-MSG-14' },
    assistant_id: { UUID: 'V2-MSG-10', instructions: 'V2-MSG-10' },
    after: { refusal: 'V2-MSG-01' },
  },
  'v2.generate': {
    model: { alias: 'V2-MODEL-01', vision: 'V2-MODEL-02' },
    parent: { given: 'V2-GEN-01' },
    think: { true: 'V2-GEN-01' },
    rag: { true: 'V2-GEN-01', agent: 'V2-GEN-01' },
    // The document does not show whether a chat may branch.
    'later message': { stored: null },
    attachments: { one: 'V2-GEN-01', several: 'V2-GEN-01' },
    assistant_id: { UUID: 'V2-GEN-01' },
    exclude_tools: { none: 'V2-GEN-04', one: 'V2-GEN-04', several: 'V2-GEN-04' },
    after: { refusal: 'V2-GEN-01' },
    // Open: whether a chat accepts two requests at once.
    overlap: { 'two at once': null },
    text: {
      'of several lines': 'V2-GEN-01',
      'beyond ASCII': 'V2-GEN-01',
      'of digits': 'V2-GEN-01',
    },
  },
  'v3.generate': {
    ...texts('V3-GEN-05'),
    model: { alias: 'V3-MODEL-01', vision: 'V3-MODEL-02' },
    input: {
      items: 'V3-GEN-06',
      'several items': 'V3-GEN-06',
      'several parts': 'V3-GEN-06',
      'item of a developer': 'V3-GEN-06',
      image: 'V3-GEN-07',
    },
    parent: { given: 'V3-GEN-11' },
    think: { true: 'V3-GEN-01', false: 'V3-GEN-01' },
    rag: { false: 'RAG-02', true: 'RAG-07', agent: 'RAG-03', object: 'RAG-08' },
    tools: {
      'include_tools given': 'V3-GEN-01',
      'exclude_tools given': 'V3-GEN-01',
      // A server may refuse names of tools that it, or a chat without documents, does not have.
      'several excluded': null,
      'others included': null,
      'others excluded': null,
      'none excluded': 'V3-GEN-01',
    },
    assistant_id: { UUID: 'V3-ASST-01' },
    // A minimum is not shown; that of the Responses-style contract is 16.
    max_tokens: { '1': null, '24': 'V3-GEN-09', '96': 'V3-GEN-09' },
    temperature: { '0.3': 'V3-GEN-09', '1': 'V3-GEN-09' },
    top_p: { '0.5': 'V3-GEN-09' },
    presence_penalty: { '0.5': 'V3-GEN-09' },
    form: { stream: 'V3-GEN-01' },
    ...earlier('V3-GEN-01'),
    // Open: whether a chat accepts two requests at once.
    overlap: { 'two at once': null },
  },
  'v3.oneShot': {
    ...texts('V3-ONE-01'),
    model: { alias: 'V3-MODEL-01', vision: 'V3-MODEL-02' },
    input: {
      items: 'V3-ONE-10',
      'several items': 'V3-ONE-10',
      'several parts': 'V3-ONE-10',
      content: 'V3-ONE-04',
      'item of a developer': 'V3-ONE-10',
      image: 'V3-ONE-10',
    },
    // Section 4.3 lists these for a generation in a chat alone.
    think: { true: null, false: null },
    rag: { false: 'RAG-02', agent: 'RAG-03', true: 'RAG-07', object: null },
    tools: { 'include_tools given': null, 'exclude_tools given': null },
    max_tokens: { '24': null },
    runs: { none: 'V3-ONE-05', one: 'V3-ONE-05', several: 'V3-ONE-05' },
    assistant_id: { UUID: 'V3-ONE-08', null: 'V3-ONE-06' },
    form: { stream: 'V3-ONE-02' },
    caller: { second: 'V3-AUTH-05' },
  },
  'v3.history': {
    limit: { '10': 'V3-HIST-10', '20': 'V3-HIST-10', '51': null, '100': null },
    after: { rename: 'V3-HIST-10', favorite: 'V3-HIST-10', refusal: 'V3-HIST-10' },
  },
  'v3.createChat': { ...names('V3-CHAT-01'), caller: { second: 'V3-AUTH-05' } },
  'v3.updateChat': {
    ...names('V3-CHAT-10'),
    ...earlier('V3-CHAT-10'),
    occurrence: { second: 'V3-CHAT-10', third: 'V3-CHAT-10' },
    caller: { second: 'V3-AUTH-05' },
  },
  // The response to a repeat is open; its effect is not.
  'v3.addFavorite': {
    ...repeatable('V3-FAV-01'),
    after: { ...earlier('V3-FAV-01').after, favorite: null },
  },
  'v3.removeFavorite': repeatable('V3-FAV-02'),
  'v3.deleteChat': repeatable('V3-CHAT-11'),
  'v3.generateName': {
    ...earlier('V3-CHAT-12'),
    occurrence: { second: 'V3-CHAT-12', third: 'V3-CHAT-12' },
    caller: { second: 'V3-AUTH-05' },
  },
  'v3.chats': {
    search: searches('V3-CHAT-06'),
    limit: limits('V3-CHAT-07'),
    exclude_favorites: { given: 'V3-CHAT-09' },
    caller: { second: 'V3-AUTH-05' },
  },
  'v3.attachments': {
    search: searches('V3-ATT-08'),
    limit: limits('V3-ATT-09'),
    chat_id: { given: 'V3-ATT-07' },
    caller: { second: 'V3-AUTH-05' },
  },
  'v3.chatAttachments': {
    search: searches('V3-ATT-13'),
    after: { rename: 'V3-ATT-12', favorite: 'V3-ATT-12', refusal: 'V3-ATT-12' },
    caller: { second: 'V3-AUTH-05' },
  },
} as const satisfies { readonly [Id in OperationId]?: Conditions }

/** Dimensions of an operation. */
export type Conditions = Readonly<Record<string, Readonly<Record<string, RequirementId | null>>>>

export type LawfulOperation = keyof typeof conditions

/** Kinds of text that careless code mistakes for something else; kinds of different dimensions are combined. */
function texts<R extends RequirementId>(requirement: R) {
  const { text, ...others } = names(requirement)
  return {
    ...others,
    lines: { LF: requirement, CRLF: requirement },
    'outer space': { given: requirement },
    length: { 'of 1,000 characters and more': null },
    // Last, because these kinds describe the whole text.
    text: {
      ...text,
      'of digits': requirement,
      'of one character': requirement,
      true: requirement,
    },
  }
}

/** An operation after others, repeated, and by another caller; its effect is required each time. */
function repeatable<R extends RequirementId>(requirement: R) {
  return {
    ...earlier(requirement),
    occurrence: { second: null, third: null },
    caller: { second: 'V3-AUTH-05' },
  } as const
}

/** Operations on the chat before the request. */
function earlier<R extends RequirementId>(requirement: R) {
  return { after: { rename: requirement, favorite: requirement, refusal: requirement } }
}

/** Words at the beginning of a name. */
function searches<R extends RequirementId>(requirement: R) {
  return {
    word: requirement,
    digits: requirement,
    'beyond ASCII': requirement,
    'beyond the BMP': requirement,
  }
}

/** Page sizes; the maximum is not shown (section 8). */
function limits<R extends RequirementId>(requirement: R) {
  return {
    '1': requirement,
    '2': requirement,
    '10': requirement,
    '11': null,
    '20': null,
    '21': null,
    '50': null,
    '100': null,
  }
}

/** Kinds of names. */
function names<R extends RequirementId>(requirement: R) {
  return {
    // Accents, combining marks, other scripts, and characters beyond the basic plane.
    characters: { 'beyond ASCII': requirement },
    spaces: { double: requirement },
    // Whether a name may have several lines is open; one that is taken is kept whole.
    lines: { LF: null },
    text: { 'like JSON': requirement, 'like HTML, with escapes': requirement },
  }
}

/** Requirements that a refusal under a condition of an operation breaks. */
export function requirementsUnder(operation: LawfulOperation): readonly RequirementId[] {
  const dimensions: Conditions = conditions[operation]
  const ids = Object.values(dimensions).flatMap((values) => Object.values(values))
  return [...new Set(ids.filter((id) => id !== null))]
}

/** Conditions whose refusal breaks a requirement, by operation: `model: alias, vision`. */
export function conditionsOf(id: RequirementId): readonly (readonly [OperationId, string])[] {
  return Object.entries(conditions).flatMap(([operation, dimensions]) => {
    const own = Object.entries<Readonly<Record<string, RequirementId | null>>>(dimensions)
      .map(
        ([name, values]) =>
          [name, Object.keys(values).filter((one) => values[one] === id)] as const,
      )
      .filter(([, values]) => values.length > 0)
    const text = own.map(([name, values]) => `${name}: ${values.join(', ')}`).join('; ')
    return own.length === 0 ? [] : [[operation as OperationId, text] as const]
  })
}
