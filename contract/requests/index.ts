/** Requests of clients: bodies and queries of every surface, as schemas and as types. */
export * from './attachments.ts'
export * from './chats.ts'
export * from './input-items.ts'
export * from './knowledge.ts'
export * from './openai.ts'
export * from './rag.ts'
export * from './v2.ts'
export * from './v3.ts'
