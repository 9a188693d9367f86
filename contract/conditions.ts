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
      ...each('OAI-CHAT-01', 'with an assistant message', 'of several turns'),
    },
    model: { alias: 'OAI-MODELS-02', vision: 'OAI-MODELS-03' },
    max_tokens: each('OAI-MAXTOK-01', '1', '7', '64'),
    temperature: each('OAI-TEMP-01', '0', '0.7', '2'),
    top_p: each('OAI-TOPP-01', '0.5', '1'),
    stop: {
      text: 'OAI-STOP-01',
      ...each('OAI-STOP-02', 'list of one', 'first of a list', 'last of a list'),
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
    think: each('V2-MSG-12', 'true', 'false'),
    rag: each('V2-MSG-13', 'true', 'false', 'agent'),
    attachments: each('V2-MSG-14', 'none', 'one', 'several'),
    assistant_id: each('V2-MSG-10', 'UUID', 'instructions'),
    after: { refusal: 'V2-MSG-01' },
  },
  'v2.generate': {
    model: { alias: 'V2-MODEL-01', vision: 'V2-MODEL-02' },
    parent: { given: 'V2-GEN-01' },
    think: { true: 'V2-GEN-01' },
    rag: each('V2-GEN-01', 'true', 'agent'),
    // The document does not show whether a chat may branch.
    'later message': { stored: null },
    attachments: each('V2-GEN-01', 'one', 'several'),
    assistant_id: { UUID: 'V2-GEN-01' },
    exclude_tools: each('V2-GEN-04', 'none', 'one', 'several'),
    after: { refusal: 'V2-GEN-01' },
    // Open: whether a chat accepts two requests at once.
    overlap: { 'two at once': null },
    text: each('V2-GEN-01', 'of several lines', 'beyond ASCII', 'of digits'),
  },
  'v3.generate': {
    ...texts('V3-GEN-05'),
    model: { alias: 'V3-MODEL-01', vision: 'V3-MODEL-02' },
    input: {
      ...each('V3-GEN-06', 'items', 'several items', 'several parts', 'item of a developer'),
      image: 'V3-GEN-07',
    },
    parent: { given: 'V3-GEN-11' },
    think: each('V3-GEN-01', 'true', 'false'),
    rag: { false: 'RAG-02', true: 'RAG-07', agent: 'RAG-03', object: 'RAG-08' },
    tools: {
      ...each('V3-GEN-01', 'include_tools given', 'exclude_tools given'),
      // A server may refuse names of tools that it, or a chat without documents, does not have.
      ...each(null, 'several excluded', 'others included', 'others excluded'),
      'none excluded': 'V3-GEN-01',
    },
    assistant_id: { UUID: 'V3-ASST-01' },
    // A minimum is not shown; that of the Responses-style contract is 16.
    max_tokens: { '1': null, ...each('V3-GEN-09', '24', '96') },
    temperature: each('V3-GEN-09', '0.3', '1'),
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
      ...each('V3-ONE-10', 'items', 'several items', 'several parts'),
      content: 'V3-ONE-04',
      ...each('V3-ONE-10', 'item of a developer', 'image'),
    },
    // Section 4.3 lists these for a generation in a chat alone.
    think: each(null, 'true', 'false'),
    rag: { false: 'RAG-02', agent: 'RAG-03', true: 'RAG-07', object: null },
    tools: each(null, 'include_tools given', 'exclude_tools given'),
    max_tokens: { '24': null },
    runs: each('V3-ONE-05', 'none', 'one', 'several'),
    assistant_id: { UUID: 'V3-ONE-08', null: 'V3-ONE-06' },
    form: { stream: 'V3-ONE-02' },
    caller: { second: 'V3-AUTH-05' },
  },
  'v3.history': {
    limit: { ...each('V3-HIST-10', '10', '20'), ...each(null, '51', '100') },
    ...earlier('V3-HIST-10'),
  },
  'v3.createChat': { ...names('V3-CHAT-01'), caller: { second: 'V3-AUTH-05' } },
  'v3.updateChat': {
    ...names('V3-CHAT-10'),
    ...earlier('V3-CHAT-10'),
    occurrence: each('V3-CHAT-10', 'second', 'third'),
    // One of two changes at once may be refused; both are kept if both are accepted.
    overlap: { 'with a favorite': null },
    caller: { second: 'V3-AUTH-05' },
  },
  // The response to a repeat is open; its effect is not.
  'v3.addFavorite': {
    ...repeatable('V3-FAV-01'),
    after: { ...earlier('V3-FAV-01').after, favorite: null },
  },
  'v3.removeFavorite': repeatable('V3-FAV-02'),
  'v3.deleteChat': repeatable('V3-CHAT-11'),
  'v3.generateName': repeatable('V3-CHAT-12'),
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
    ...earlier('V3-ATT-12'),
    caller: { second: 'V3-AUTH-05' },
  },
} as const satisfies { readonly [Id in OperationId]?: Conditions }

/** Dimensions of an operation. */
export type Conditions = Readonly<Record<string, Readonly<Record<string, RequirementId | null>>>>

export type LawfulOperation = keyof typeof conditions

/** The same requirement for each of several values. */
function each<R extends RequirementId | null, const V extends string>(
  requirement: R,
  ...values: readonly V[]
) {
  const entries = values.map((value) => [value, requirement] as const)
  return Object.fromEntries(entries) as Readonly<Record<V, R>>
}

/** Kinds of text that careless code mistakes for something else; kinds of different dimensions are combined. */
function texts<R extends RequirementId>(requirement: R) {
  const { text, ...others } = names(requirement)
  return {
    ...others,
    lines: each(requirement, 'LF', 'CRLF'),
    'outer space': { given: requirement },
    length: { 'of 1,000 characters and more': null },
    // Last, because these kinds describe the whole text.
    text: { ...text, ...each(requirement, 'of digits', 'of one character', 'a literal') },
  }
}

/** An operation after others, repeated, and by another caller; its effect is required each time. */
function repeatable<R extends RequirementId>(requirement: R) {
  return {
    ...earlier(requirement),
    occurrence: each(null, 'second', 'third'),
    caller: { second: 'V3-AUTH-05' },
  } as const
}

/** Operations on the chat before the request. */
function earlier<R extends RequirementId>(requirement: R) {
  return { after: each(requirement, 'rename', 'favorite', 'refusal') }
}

/** Words at the beginning of a name. */
function searches<R extends RequirementId>(requirement: R) {
  return each(requirement, 'word', 'digits', 'beyond ASCII', 'beyond the BMP')
}

/** Page sizes; the maximum is not shown (section 8). */
function limits<R extends RequirementId>(requirement: R) {
  return { ...each(requirement, '1', '2', '10'), ...each(null, '11', '20', '21', '50', '100') }
}

/** Kinds of names. */
function names<R extends RequirementId>(requirement: R) {
  return {
    // Accents, combining marks, other scripts, and characters beyond the basic plane.
    characters: { 'beyond ASCII': requirement },
    spaces: { double: requirement },
    // Whether a name may have several lines is open; one that is taken is kept whole.
    lines: { LF: null },
    text: each(requirement, 'like JSON', 'like HTML, with escapes'),
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
