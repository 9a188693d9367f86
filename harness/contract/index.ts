export * from './catalogue/index.ts'
export * from './exchange.ts'
export * from './finding.ts'
export * from './stored-exchange.ts'
