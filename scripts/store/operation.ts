/** Operations that one client sent, one after the other, with their answers. */
export type Operation =
  | { readonly kind: 'create'; readonly name: string; readonly answer: Answer<{ chat: string }> }
  | {
      readonly kind: 'generate'
      readonly chat: string
      /** The Idempotency-Key; a repeat has the same one, and the same input. */
      readonly key: string
      readonly input: string
      readonly answer: Answer<{ response: string }>
    }
  | { readonly kind: 'delete'; readonly chat: string; readonly answer: Answer }
  | {
      readonly kind: 'favorite'
      readonly chat: string
      readonly on: boolean
      readonly answer: Answer
    }
  | {
      readonly kind: 'history'
      readonly chat: string
      /** All pages, up to the last cursor: inputs, and null for an answer, which is one item. */
      readonly answer: Answer<{ rows: readonly (string | null)[] }>
    }
  | {
      readonly kind: 'chats'
      readonly onlyFavorites: boolean
      readonly answer: Answer<{ chats: readonly { readonly id: string; readonly name: string }[] }>
    }

/**
 * `unknown`: not acknowledged; it was done, will still be done, or was not. `no-chat`: status 404.
 * A number is any other status that the service has no reason for.
 */
export type Answer<Result = object> = 'unknown' | 'no-chat' | number | ({ done: true } & Result)
