/** Requests of clients: bodies and queries of every surface, as schemas and as types. */

export * from './fields.ts'
export * from './openai.ts'
export * from './v2.ts'
export * from './v3.ts'
