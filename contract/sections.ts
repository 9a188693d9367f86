export interface Section {
  readonly title: string
  readonly summary: string
}

/** Section 4.3 by the areas of the requirements that follow from it. */
const ofV3 = {
  'V3-HIST':
    'GET /message pages through the history of a chat: result has the rows, 50 by default or at most limit, and pagination has the cursor of the next page, null at the end.',
  'V3-GEN V3-SSE V3-ASST V3-THINK V3-TOOLS':
    'POST /message/generate generates a reply in a chat and answers with the final response object or, with stream: true, with a stream. Its fields are stream, chat_id, assistant_id, model_id, input (a string or an array of items), parent_id, think, rag, include_tools or exclude_tools, max_tokens, temperature, top_p and presence_penalty.',
  'V3-IDEM':
    'A generation in a chat needs an Idempotency-Key, any string, and a repeat with the same key creates no duplicate step.',
  'V3-ONE':
    'POST /message/one-shot generates without a chat and an Idempotency-Key: stream, model_id, input, runs, assistant_id (null, searcher or a UUID), kb_id, rag; its answers are those of a generation in a chat.',
  'V3-CHAT V3-FAV':
    'GET /chat lists the chats (search, limit, cursor, exclude_favorites), POST /chat creates one with a name, and GET, PATCH and DELETE /chat/{chat_id} get, update and delete it. POST /chat/{chat_id}/generate-name generates a title, GET /chat/favorite has the favorite chats, and POST and DELETE /chat/{chat_id}/favorite add a favorite and remove it.',
  'V3-ATT':
    'POST /attachment takes one file as multipart/form-data. GET /attachment lists all attachments of the caller or those of chat_id (search, limit, cursor), and GET /chat/{chat_id}/attachments those of the chat; its search matches the file name.',
  KB: '/knowledge behaves as /api/knowledge: a list of bases, document upload, search in a base.',
  VER: 'A v3 route called for a chat of another version returns an error that hints at the right prefix.',
} as const

/** The sections of the interface document by number, in our words: title and summary; `docs/interface` shows them. */
const texts = {
  '0': 'Scope: One document covers three HTTP surfaces: a surface compatible with chat completions under /api/openai, a native surface under /api/v2, and a native surface under /api/v3.',
  '1': 'The service: A service that generates chat answers. Clients of the chat-completions wire format use the compatible surface by changing base URL and key. On v2 a user message is stored first and answered by a second request, and parent_id carries the context. On v3 a chat is a chain of run items; replies come as JSON or as a stream of server-sent events, and one-shot generation needs no chat. Reasoning, retrieval, tool lists and attachments are optional features.',
  '2.1':
    'Models: The catalog has two models, a vision model (SVC-Vision) and a main model (svc-main-model or SVC-Main). An entry has an id and a description. A model may have several ids; each works as model on the compatible surface and as model_id on the native surfaces.',
  '2.2':
    'Chat completion: The object of a non-streamed completion: id, object (chat.completion), created in Unix seconds, model, choices with index, message (role, content) and finish_reason, and usage with three token counts.',
  '2.3':
    'Message (v2): The answer to POST /api/v2/message: id and chat_id as UUIDs, model_id, role (user for a stored user message), content, created_at in ISO 8601 UTC. A generation answers with an object whose message has at least content.',
  '2.4':
    'Attachment: An attachment has id, filename, content_type, bucket and created_at as strings, and size as an integer.',
  '2.5':
    'Chat: A chat has a name, a version (v2 or v3) and may be a favorite. Other members are not specified.',
  '2.6':
    'History row (v3): A row has the item (an object or null) and copies of its type and status where the item has them. An item is an input message of user, system or developer with an array of parts, or an output object as in the output array of a completed response. The page carries pagination with a cursor.',
  '2.7':
    'Knowledge bases: Bases, documents and search results exist. Their fields are not specified.',
  '3': 'States: The version of a chat is fixed at its creation, and POST /api/v3/chat always yields v3. Run items have a status whose values and transitions are not specified.',
  '4': 'Endpoints: Requests with a JSON body send Content-Type: application/json, and every request sends the Authorization header.',
  '4.1':
    'Compatible surface, /api/openai: POST /chat/completions takes model, messages, temperature (0 to 2), max_tokens, top_p, stream and stop (a string or an array). With stream: true the answer comes in chunks whose text is in choices[0].delta.content. GET /models lists the models.',
  '4.2':
    'Native v2, /api/v2: POST /message stores a user message: chat_id, content and model_id are required; assistant_id, parent_id, think, rag and attachments are optional. POST /message/generate answers it: chat_id, parent_id and model_id are required, and include_tools and exclude_tools exclude each other.',
  '4.3': `Native v3, /api/v3: ${Object.values(ofV3).join(' ')}`,
  '4.4':
    'The rag field: false: no search before the answer. true: the server searches the knowledge base of the assistant first and puts the results into the context. agent: no search in advance, the model uses its tools. An object (threshold, search_type, limit, rerank, summary_mode): as true, with these parameters. The default is false in chats and agent in one-shot.',
  '5': 'Authentication: Every request carries Authorization: Bearer with a key or token. On the compatible surface a missing or wrong key is answered with 401. How a native token is obtained is not specified.',
  '6': 'Events: The v3 stream is made of server-sent events in the Responses style: an event: line, data: lines with JSON and an empty line. response.created begins it, items are added, text and reasoning come as deltas (reasoning only with think), and response.completed carries the final response and ends it. Further events of the contract may occur.',
  '7': 'Errors: The compatible surface answers 400 to invalid parameters, 401 without a valid key, 429 when rate limited, 500 and 503 on failures. A v3 route called for a chat of another version names the prefix to use. Error bodies and the other statuses are not specified.',
  '8': 'Limits: temperature from 0 to 2, 50 history rows by default, never both tool lists. Other limits exist and are not specified.',
  '9': 'Versioning: Three prefixes, two versions of chats. A call on the wrong version is an error with a hint; v3 chats are made by v3 alone; content of one-shot is deprecated; /api/v3/knowledge duplicates /api/knowledge; the native API may change.',
} as const

export const sections = Object.fromEntries(
  Object.entries(texts).map(([section, text]) => {
    const [title = '', ...summary] = text.split(': ')
    return [section, { title, summary: summary.join(': ') }]
  }),
) as Readonly<Record<keyof typeof texts, Section>>

export function sectionOf(number: string): Section | undefined {
  return Object.entries<Section>(sections).find(([name]) => name === number)?.[1]
}

/** Summary of what the document says about a requirement: the part of section 4.3 for its area, or the whole section. */
export function specified(id: string, section: string): string | undefined {
  const area = id.replace(/-\d+$/, '')
  const part = Object.entries(ofV3).find(([areas]) => areas.split(' ').includes(area))?.[1]
  return section === '4.3' && part !== undefined ? part : sectionOf(section)?.summary
}
