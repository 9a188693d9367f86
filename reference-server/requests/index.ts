/** Requests of clients: bodies and queries of every surface, as schemas and as types. */

export * from './fields.ts'
export * from './native.ts'
export * from './openai.ts'
