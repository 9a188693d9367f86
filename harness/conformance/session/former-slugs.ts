/**
 * Slugs that scenarios had before their titles were reworded, by the slug of today. Recordings name them,
 * and the generated content of a scenario follows from its first slug: a run that was recorded before can
 * still be judged again.
 */
export const formerSlugs = new Map(
  Object.entries({
    'a-favorite-keeps-its-mark-name-and-history-after-other-operations-on-the-chat':
      'a-favorite-keeps-its-mark-its-name-and-its-history-whatever-else-is-done-to-the-chat',
    'a-json-answer-is-valid-json-or-the-request-is-refused': 'an-answer-in-json-is-json-or-refused',
    'a-one-shot-answers-unstreamed-without-an-idempotency-key':
      'a-one-shot-answers-in-one-piece-without-an-idempotency-key',
    'a-repeat-during-the-first-request-adds-no-second-step':
      'a-repeat-while-the-first-request-is-answered-adds-no-second-step',
    'a-search-finds-the-content-of-documents': 'a-search-finds-what-the-documents-say',
    'a-stored-message-gets-a-generated-answer': 'a-stored-message-is-answered',
    'a-target-that-negotiates-http-2-also-answers-over-http-1-1':
      'a-target-that-chooses-http-2-is-asked-over-http-1-1-as-well',
    'an-answer-is-streamed-as-events': 'a-reply-is-streamed-as-events',
    'an-upload-returns-an-attachment-that-describes-its-file':
      'a-file-is-uploaded-and-its-attachment-tells-the-truth',
    'any-string-is-a-valid-key-and-another-key-adds-another-step':
      'any-string-serves-as-key-and-another-key-makes-another-step',
    'api-knowledge-and-api-v3-knowledge-give-equal-responses':
      'api-knowledge-and-api-v3-knowledge-answer-alike',
    'attachments-accepts-an-uploaded-file':
      'attachments-takes-what-the-service-returned-for-an-upload',
    'attachments-are-listed-by-chat': 'the-attachments-of-a-chat-are-listed-apart',
    'chunks-arrive-while-the-answer-is-generated': 'chunks-arrive-while-the-answer-is-made',
    'concurrent-requests-with-one-key-add-one-step':
      'requests-that-race-with-one-key-make-one-step',
    'delete-chat-chat-id-favorite-requires-a-valid-token':
      'delete-chat-chat-id-favorite-wants-the-right-token',
    'delete-chat-chat-id-requires-a-valid-token': 'delete-chat-chat-id-wants-the-right-token',
    'events-arrive-while-the-answer-is-generated': 'events-arrive-while-the-answer-is-made',
    'every-endpoint-shows-all-turns-in-order':
      'every-endpoint-shows-each-turn-after-it-has-shown-those-before',
    'get-chat-chat-id-requires-a-valid-token': 'get-chat-chat-id-wants-the-right-token',
    'get-chat-favorite-requires-a-valid-token': 'get-chat-favorite-wants-the-right-token',
    'get-chat-requires-a-valid-token': 'get-chat-wants-the-right-token',
    'get-message-requires-a-valid-token': 'get-message-wants-the-right-token',
    'get-models-id-returns-that-model': 'a-model-that-can-be-asked-for-by-its-id-is-that-one',
    'get-models-lists-the-models': 'get-models-names-the-models',
    'get-models-requires-a-valid-key': 'get-models-wants-the-right-key',
    'input-may-be-an-array-of-items-and-the-history-has-each-of-them':
      'input-may-be-an-array-of-items-and-each-of-them-is-in-the-history',
    'lists-contain-nothing-of-another-caller': 'nothing-of-another-caller-is-listed',
    'n-returns-that-many-choices-or-is-refused': 'n-choices-are-given-or-refused',
    'no-chat-is-created-renamed-or-favorited-without-a-valid-token':
      'without-the-right-token-no-chat-is-made-named-or-marked',
    'no-favorite-is-removed-without-a-valid-token': 'without-the-right-token-a-favorite-stays-one',
    'no-file-is-stored-without-a-valid-token': 'without-the-right-token-no-file-is-kept',
    'paging-returns-every-row-once': 'every-walk-visits-every-row-once',
    'parent-id-is-optional-in-every-turn-and-may-name-the-previous-run':
      'parent-id-may-be-left-out-in-a-second-turn-too-and-may-name-the-previous-run',
    'patch-chat-chat-id-requires-a-valid-token': 'patch-chat-chat-id-wants-the-right-token',
    'post-api-v2-message-generate-requires-a-valid-token':
      'post-api-v2-message-generate-wants-the-right-token',
    'post-api-v2-message-requires-a-valid-token': 'post-api-v2-message-wants-the-right-token',
    'post-chat-chat-id-favorite-requires-a-valid-token':
      'post-chat-chat-id-favorite-wants-the-right-token',
    'post-chat-chat-id-generate-name-requires-a-valid-token':
      'post-chat-chat-id-generate-name-wants-the-right-token',
    'post-chat-completions-requires-a-valid-key': 'post-chat-completions-wants-the-right-key',
    'post-chat-creates-a-v3-chat-for-any-body': 'post-chat-yields-a-v3-chat-whatever-the-body-says',
    'post-chat-requires-a-valid-token': 'post-chat-wants-the-right-token',
    'post-message-generate-requires-a-valid-token-and-stores-nothing-without-one':
      'post-message-generate-wants-the-right-token-and-stores-nothing-without-it',
    'post-message-one-shot-requires-a-valid-token': 'post-message-one-shot-wants-the-right-token',
    'post-message-stores-a-message-and-returns-it':
      'post-message-stores-a-message-and-answers-with-it',
    'rag-as-an-object-searches-as-true-does': 'rag-as-an-object-searches-like-true',
    'rag-as-false-agent-or-absent-makes-no-search-before-the-answer':
      'rag-false-agent-or-nothing-makes-no-search-before-the-answer',
    'rag-as-false-agent-or-absent-makes-no-search-before-the-answer-v2':
      'rag-false-agent-or-nothing-makes-no-search-before-the-answer-v2',
    'rag-true-uses-the-knowledge-base-in-the-answer':
      'rag-true-brings-the-knowledge-base-into-the-answer',
    'rag-true-works-with-an-assistant-without-a-knowledge-base':
      'rag-true-with-an-assistant-that-has-no-base-is-answered-all-the-same',
    'reasoning-is-streamed-separately-from-the-answer':
      'reasoning-is-streamed-apart-from-the-answer',
    'requests-refused-for-their-token-have-changed-nothing':
      'what-was-refused-for-its-token-has-changed-nothing',
    'response-of-one-shot-to-both-tool-lists': 'both-tool-lists-on-one-shot-are-answered-somehow',
    'response-to-the-history-of-a-chat-that-does-not-exist':
      'the-history-of-a-chat-that-does-not-exist-is-answered-somehow',
    'responses-to-invalid-fields': 'invalid-fields-are-answered-somehow',
    'responses-to-out-of-range-values': 'doubtful-values-are-answered-somehow',
    'rows-added-during-paging-hide-no-other-row':
      'rows-that-are-added-during-a-walk-lose-none-of-the-others',
    'runs-is-the-only-context-of-a-one-shot': 'runs-carries-a-history-and-nothing-else-is-known',
    'system-and-developer-messages-are-input-rows':
      'a-message-of-the-system-or-the-developer-is-an-input-row-too',
    'text-beyond-ascii-is-streamed-intact': 'text-beyond-ascii-is-streamed-whole',
    'the-attachment-routes-require-a-valid-token': 'the-attachment-routes-want-the-right-token',
    'the-chunks-of-a-deterministic-target-add-up-to-its-unstreamed-answer':
      'an-answer-is-streamed-in-chunks-as-a-deterministic-target-gives-it-in-one-piece',
    'the-deprecated-field-content-is-accepted': 'the-deprecated-content-may-carry-the-text',
    'the-history-contains-no-row-of-another-chat': 'the-history-holds-no-row-of-another-chat',
    'the-history-contains-questions-and-answers':
      'the-history-holds-what-was-asked-and-what-was-answered',
    'the-knowledge-routes-require-a-valid-token': 'the-knowledge-routes-want-the-right-token',
    'the-model-knows-the-messages-of-the-parent-id-chain':
      'the-chain-of-parent-id-gives-the-model-its-context',
    'the-stream-of-a-truncated-answer-ends-properly':
      'a-reply-that-is-cut-short-is-streamed-to-a-proper-end',
    'think-is-optional': 'think-may-be-sent-or-left-out',
  }),
)

const currentSlugs = new Map([...formerSlugs].map(([slug, former]) => [former, slug]))

/** Seed of the content that a scenario generates, within the seed of the run. */
export function contentSeed(slug: string): string {
  return renamed(slug, (name) => formerSlugs.get(name))
}

/** Slug of today for the name that a recording has for a scenario. */
export function currentSlug(recorded: string): string {
  return renamed(recorded, (name) => currentSlugs.get(name))
}

/** The endpoint stays that a scenario was run again on: `slug@A`. */
function renamed(slug: string, nameOf: (name: string) => string | undefined): string {
  const [name = '', ...endpoint] = slug.split('@')
  return [nameOf(name) ?? name, ...endpoint].join('@')
}
