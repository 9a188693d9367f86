/** Schemas of answers: what the document says of their members, and open for all others. */

export * from './completion.ts'
export * from './history.ts'
export * from './models.ts'
export * from './response.ts'
export * from './v2.ts'
